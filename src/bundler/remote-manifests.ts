import { isBuiltin } from "./builtins.ts";
import { isRelative } from "./paths.ts";
import { parseSpecifier } from "./specifiers.ts";
import { manifestsAbove } from "./version-ranges.ts";

/** Maximum manifests that are fetched for one component. */
const MAX_MANIFESTS = 40;

/** For how long, and of how many, it is remembered that there is none: a folder of a repository seldom gets one. */
const ABSENT_MS = 10 * 60 * 1000;
const MAX_ABSENT = 2000;

/** Above these a path of the host names no folder of a repository: owner, name and version come first. */
const LEADING_FOLDERS: Record<string, number> = {
  "raw.githubusercontent.com": 3,
  "gist.githubusercontent.com": 3,
};

const absentUntilMs = new Map<string, number>();

/** Finds the `package.json` that applies to files of one component, and fetches each once. */
export class RemoteManifests {
  readonly #origin: string;
  readonly #asked = new Set<string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Where to look for the versions of what a file imports; nowhere, where it says them itself or imports no package. */
  wanted(importer: string, specifiers: readonly string[]): string[] {
    if (!specifiers.some((specifier) => leavesOpen(specifier))) return [];
    const leading = LEADING_FOLDERS[new URL(this.#origin).hostname] ?? 0;
    return manifestsAbove(importer).filter((path) => {
      const isAsked = this.#asked.has(path) || this.#asked.size >= MAX_MANIFESTS;
      if (isAsked || path.split("/").length <= leading || this.#isKnownAbsent(path)) return false;
      this.#asked.add(path);
      return true;
    });
  }

  /** Remember that there is none. */
  noteAbsent(path: string): void {
    const [oldest] = absentUntilMs.keys();
    if (absentUntilMs.size >= MAX_ABSENT && oldest !== undefined) absentUntilMs.delete(oldest);
    absentUntilMs.set(`${this.#origin}/${path}`, Date.now() + ABSENT_MS);
  }

  #isKnownAbsent(path: string): boolean {
    return Date.now() < (absentUntilMs.get(`${this.#origin}/${path}`) ?? 0);
  }
}

/** Whether a specifier names a package and no version of it. */
function leavesOpen(specifier: string): boolean {
  if (isRelative(specifier) || isBuiltin(specifier)) return false;
  const request = parseSpecifier(specifier);
  return request !== undefined && request.range === undefined;
}
