import type { BundleIssue, FetchedFiles } from "../services/context.ts";
import { fileImports } from "./file-imports.ts";
import { candidates, isRelative, joined } from "./paths.ts";
import { remoteFile } from "./remote-file.ts";
import { rawUrl } from "./remote-urls.ts";

const MAX_FILES = 200;
const MAX_REQUESTS = 600;
const MAX_TOTAL_CHARACTERS = 5 * 2 ** 20;
const TIMEOUT_MS = 45_000;

type Fetching = {
  origin: string;
  allowPrivate: boolean;
  files: Record<string, string>;
  requests: number;
  characters: number;
  deadlineMs: number;
};

/** Why files cannot be had; thrown inside this module only. */
class Unavailable extends Error {
  readonly issue: BundleIssue;
  readonly upstream: boolean;

  constructor(file: string, text: string, upstream: boolean) {
    super(text);
    this.issue = { file, line: 1, column: 0, text };
    this.upstream = upstream;
  }
}

/**
 * Read a component from a URL, with the files of the same origin that it imports. Files that are not there are left
 * out: the bundler says where they are missed.
 */
export async function fetchFiles(
  componentUrl: string,
  allowPrivate: boolean,
): Promise<FetchedFiles> {
  try {
    const { entry, text, fetching } = await fetchEntry(componentUrl, allowPrivate);
    let level = [entry];
    fetching.files[entry] = text;
    while (level.length > 0) {
      level = (await Promise.all(level.map((path) => fetchImports(path, fetching)))).flat();
    }
    return { ok: true, files: { entry, files: fetching.files } };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const { issue, upstream } = error;
    return { ok: false, issues: [issue], ...(upstream ? { upstream } : {}) };
  }
}

async function fetchEntry(
  componentUrl: string,
  allowPrivate: boolean,
): Promise<{ entry: string; text: string; fetching: Fetching }> {
  const url = URL.parse(componentUrl);
  if (url === null) throw new Unavailable(componentUrl, `"${componentUrl}" is not a URL`, false);
  const answer = await remoteFile(rawUrl(url), allowPrivate);
  if (!answer.found) {
    const reason = answer.reason ?? `There is nothing at ${componentUrl}`;
    throw new Unavailable(componentUrl, reason, answer.upstream);
  }
  const { origin, pathname } = answer.url;
  const characters = answer.text.length;
  const deadlineMs = Date.now() + TIMEOUT_MS;
  const fetching = { origin, allowPrivate, files: {}, requests: 1, characters, deadlineMs };
  return { entry: decodeURIComponent(pathname.slice(1)), text: answer.text, fetching };
}

/** Fetch what a file imports; the paths that are new. */
async function fetchImports(importer: string, fetching: Fetching): Promise<string[]> {
  const specifiers = await fileImports(importer, fetching.files[importer] ?? "");
  const wanted = new Set(
    specifiers
      .filter((specifier) => isRelative(specifier))
      .map((specifier) => joined(importer, specifier)),
  );
  const found = await Promise.all([...wanted].map((path) => fetchFirst(path, importer, fetching)));
  return found.flatMap((path) => path ?? []);
}

/** The first of the files that a path may mean; undefined when it is known already or there is none. */
async function fetchFirst(
  path: string,
  importer: string,
  fetching: Fetching,
): Promise<string | undefined> {
  for (const candidate of candidates(path)) {
    if (Object.hasOwn(fetching.files, candidate)) return undefined;
    const text = await fetchOne(candidate, importer, fetching);
    if (text === undefined) continue;
    if (Object.hasOwn(fetching.files, candidate)) return undefined;
    fetching.files[candidate] = text;
    return candidate;
  }
  return undefined;
}

async function fetchOne(
  path: string,
  importer: string,
  fetching: Fetching,
): Promise<string | undefined> {
  refuseTooMany(importer, fetching);
  fetching.requests += 1;
  const url = new URL(fetching.origin);
  url.pathname = `/${path}`;
  const answer = await remoteFile(url, fetching.allowPrivate);
  if (answer.found) {
    fetching.characters += answer.text.length;
    return answer.text;
  }
  if (answer.reason === undefined) return undefined;
  const text = `${answer.reason}, which "${importer}" imports`;
  throw new Unavailable(importer, text, answer.upstream);
}

function refuseTooMany(importer: string, fetching: Fetching): void {
  const { files, requests, characters, deadlineMs } = fetching;
  const text =
    Object.keys(files).length >= MAX_FILES
      ? `The component has more than ${MAX_FILES} files`
      : requests >= MAX_REQUESTS
        ? `The component's files take more than ${MAX_REQUESTS} requests`
        : characters > MAX_TOTAL_CHARACTERS
          ? `The component's files are larger than ${MAX_TOTAL_CHARACTERS} characters`
          : undefined;
  if (text !== undefined) throw new Unavailable(importer, text, false);
  if (Date.now() > deadlineMs) {
    throw new Unavailable(importer, `The files take longer than ${TIMEOUT_MS / 1000} s`, true);
  }
}
