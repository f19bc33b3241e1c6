import type { SourceCode } from "../../api/sources.ts";
import type { CodeLanguage } from "../../components/code-editor.tsx";

/** The files of a version and of the version that it is compared with. */
export function paths(code: SourceCode, before?: SourceCode): string[] {
  return [
    ...new Set([code, before].flatMap((one) => one?.files.map(({ path }) => path) ?? [])),
  ].toSorted();
}

/** The file of a position in a stack: by its path, or by the end of its path. */
export function fileOf(all: string[], wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  return all.find((path) => path === wanted) ?? all.find((path) => isSame(path, wanted));
}

/** The language of a file, by its extension. */
export function languageOf(path: string): CodeLanguage {
  if (path.endsWith(".json")) return "json";
  return /\.[cm]?tsx?$/.test(path) ? "ts" : "js";
}

function isSame(path: string, wanted: string): boolean {
  return path.endsWith(`/${wanted}`) || wanted.endsWith(`/${path}`);
}
