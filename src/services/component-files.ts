import type { SourceFiles } from "#bundler/contract.ts";
import { isFilePath } from "#domain/component-paths.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { targetRefusal } from "#domain/targets.ts";

import type { AppContext } from "./context.ts";
import { buildsWaiting, invalidComponent } from "./evaluation.ts";

/** The ways to submit the code of a component. Beside code or files, the URL only names their origin. */
export type ComponentCode = {
  code?: string | undefined;
  url?: string | undefined;
  files?: Record<string, string> | undefined;
  /** The file with the component; optional if there is only one file. */
  entry?: string | undefined;
  /** The language of `code`. Absent: by the URL's extension, else JavaScript. */
  language?: "js" | "ts" | undefined;
};

/** Maximum files of a component in a request. */
const MAX_FILES = 1000;

/** The extensions that code from a URL keeps: they determine its language. */
const EXTENSION = /\.([cm]?[jt]s)$/;

/** The files of a component: those in the request, else those at its URL. Undefined without either. */
export async function componentFiles(
  ctx: Pick<AppContext, "allowIpTargets" | "fetchFiles">,
  owner: string,
  { code, url, files, entry, language }: ComponentCode,
): Promise<SourceFiles | undefined> {
  if (code !== undefined) {
    const name = entryFor(url, language);
    return { entry: name, files: { [name]: code } };
  }
  if (files !== undefined) {
    refuseFiles(Object.keys(files));
    return { entry: entryOf(files, entry), files };
  }
  return url === undefined ? undefined : await filesAt(ctx, owner, url);
}

function refuseFiles(paths: readonly string[]): void {
  const path = "component_files";
  if (paths.length > MAX_FILES)
    throw invalidInput([{ path, message: `it may have at most ${MAX_FILES} files` }]);
  const wrong = paths.find((one) => !isFilePath(one));
  const rule = "is no relative path of a file, with / between folders and without . and ..";
  if (wrong !== undefined)
    throw invalidInput([{ path, message: `${JSON.stringify(wrong.slice(0, 100))} ${rule}` }]);
}

function entryOf(files: Record<string, string>, entry: string | undefined): string {
  const [only, ...others] = Object.keys(files);
  if (entry !== undefined && Object.hasOwn(files, entry)) return entry;
  if (entry === undefined && only !== undefined && others.length === 0) return only;
  throw invalidInput([{ path: "entry", message: "it must name one of component_files" }]);
}

async function filesAt(
  ctx: Pick<AppContext, "allowIpTargets" | "fetchFiles">,
  owner: string,
  url: string,
): Promise<SourceFiles> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw invalidInput([{ path: "component_url", message: "it must be an http or https URL" }]);
  const refusal = targetRefusal(url, { ...ctx, allowPrivateTargets: true });
  if (refusal !== undefined) throw invalidInput([{ path: "component_url", message: refusal }]);
  const fetched = await ctx.fetchFiles(owner, url);
  if (fetched.ok) return fetched.files;
  if (fetched.overloaded) throw buildsWaiting();
  if (!fetched.upstream) throw invalidComponent("bundle", fetched.issues, "component_url");
  const reasons = fetched.issues.map(({ text }) => text).join("; ");
  throw new RequestError("upstream_failed", `component_url: ${reasons}`, {
    issues: fetched.issues,
  });
}

function entryFor(url: string | undefined, language: ComponentCode["language"]): string {
  if (language !== undefined) return `component.${language}`;
  const path = url === undefined ? "" : (URL.parse(url)?.pathname ?? "");
  return `component.${EXTENSION.exec(path)?.[1] ?? "js"}`;
}
