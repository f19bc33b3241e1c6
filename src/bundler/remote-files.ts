import { MAX_CONNECTIONS, mapAtMost } from "#domain/concurrency.ts";

import type { BundleIssue, FetchedFiles } from "./contract.ts";
import { QueueFull } from "./fair-queue.ts";
import { fileImports } from "./file-imports.ts";
import { candidates, isRelative, joined } from "./paths.ts";
import { remoteFile } from "./remote-file.ts";
import { RemoteManifests } from "./remote-manifests.ts";
import { rawUrl } from "./remote-urls.ts";

const MAX_FILES = 200;
const MAX_REQUESTS = 600;
const MAX_TOTAL_CHARACTERS = 5 * 2 ** 20;
const TIMEOUT_MS = 45_000;

/** `client`: the caller's client; `allowPrivate`: whether files may have private addresses. */
type FetchTerms = { client: string; allowPrivate: boolean };

type Fetching = {
  origin: string;
  allowPrivate: boolean;
  files: Record<string, string>;
  manifests: RemoteManifests;
  requests: number;
  characters: number;
  deadlineMs: number;
};

/** Thrown inside this module if files cannot be read. */
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
 * Read a component from a URL, with the files of the same origin that it imports. Missing files are left out: the
 * bundler reports the imports that need them.
 */
export async function fetchFiles(
  componentUrl: string,
  { allowPrivate, client }: FetchTerms,
): Promise<FetchedFiles> {
  try {
    const { entry, text, fetching } = await fetchEntry(componentUrl, allowPrivate);
    let level = [entry];
    fetching.files[entry] = text;
    while (level.length > 0) {
      const wanted = await importsOf(level, fetching, client);
      const found = await mapAtMost(MAX_CONNECTIONS, wanted, (one) => fetchWanted(one, fetching));
      level = found.flatMap((path) => path ?? []);
    }
    return { ok: true, files: { entry, files: fetching.files } };
  } catch (error) {
    if (error instanceof QueueFull) return { ok: false, issues: [], overloaded: true };
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
  const fetched = await remoteFile(rawUrl(url), { allowPrivate });
  if (!fetched.found) {
    const reason = fetched.reason ?? `There is no file at ${componentUrl}`;
    throw new Unavailable(componentUrl, reason, fetched.upstream);
  }
  const { origin, pathname } = fetched.url;
  const characters = fetched.text.length;
  const deadlineMs = Date.now() + TIMEOUT_MS;
  const manifests = new RemoteManifests(origin);
  const bounds = { requests: 1, characters, deadlineMs };
  const fetching = { origin, allowPrivate, files: {}, manifests, ...bounds };
  return { entry: decodeURIComponent(pathname.slice(1)), text: fetched.text, fetching };
}

/** A file that another one needs: as an import, or as the manifest with its packages' versions. */
type Wanted = { path: string; importer: string; isManifest: boolean };

/** The imports of files, each once, with the first file that has it. */
async function importsOf(
  importers: readonly string[],
  { files, manifests }: Fetching,
  client: string,
): Promise<Wanted[]> {
  const wanted = new Map<string, Wanted>();
  for (const importer of importers) {
    const specifiers = await fileImports(importer, files[importer] ?? "", client);
    for (const path of manifests.wanted(importer, specifiers))
      wanted.set(path, { path, importer, isManifest: true });
    for (const specifier of specifiers.filter(isRelative)) {
      const path = joined(importer, specifier);
      if (!wanted.has(path)) wanted.set(path, { path, importer, isManifest: false });
    }
  }
  return [...wanted.values()];
}

/** The file that was found, if its imports are to be fetched as well. */
async function fetchWanted(wanted: Wanted, fetching: Fetching): Promise<string | undefined> {
  const { path, importer, isManifest } = wanted;
  if (!isManifest) return await fetchFirst(path, importer, fetching);
  const text = await fetchOne(path, importer, fetching);
  if (text === undefined) fetching.manifests.noteAbsent(path);
  else fetching.files[path] = text;
  return undefined;
}

/** The first existing file of a path's candidates; undefined if it is known already or there is none. */
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
  const fetched = await remoteFile(url, fetching);
  if (fetched.found) {
    fetching.characters += fetched.text.length;
    return fetched.text;
  }
  if (fetched.reason === undefined) return undefined;
  const text = `${fetched.reason}, which "${importer}" imports`;
  throw new Unavailable(importer, text, fetched.upstream);
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
