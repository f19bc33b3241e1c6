import { isBuiltin } from "./builtins.ts";
import { isRelative } from "./paths.ts";
import { parseSpecifier } from "./specifiers.ts";
import { manifestsAbove } from "./version-ranges.ts";

/** Maximum manifests that are fetched for one component. */
const MAX_MANIFESTS = 40;

/** Duration and number of cached misses: a folder of a repository seldom gets a manifest. */
const ABSENT_MS = 10 * 60 * 1000;
const MAX_ABSENT = 2000;

/** Number of leading folders in a host's paths that belong to no repository's tree: owner, name and version. */
const LEADING_FOLDERS: Record<string, number> = {
  "raw.githubusercontent.com": 3,
  "gist.githubusercontent.com": 3,
};

const absentUntilMs = new Map<string, number>();

/** Finds the `package.json` that applies to files of one component, and fetches each once. */
export class RemoteManifests {
  readonly #origin: string;
  readonly #requested = new Set<string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /**
   * The manifests to fetch for the versions of a file's imports; none if the file names the versions or imports no
   * package.
   */
  wanted(importer: string, specifiers: readonly string[]): string[] {
    if (!specifiers.some((specifier) => leavesOpen(specifier))) return [];
    const leading = LEADING_FOLDERS[new URL(this.#origin).hostname] ?? 0;
    return manifestsAbove(importer).filter((path) => {
      const isRequested = this.#requested.has(path) || this.#requested.size >= MAX_MANIFESTS;
      if (isRequested || path.split("/").length <= leading || this.#isKnownAbsent(path))
        return false;
      this.#requested.add(path);
      return true;
    });
  }

  /** Note that a manifest is missing. */
  noteAbsent(path: string): void {
    const [oldest] = absentUntilMs.keys();
    if (absentUntilMs.size >= MAX_ABSENT && oldest !== undefined) absentUntilMs.delete(oldest);
    absentUntilMs.set(`${this.#origin}/${path}`, Date.now() + ABSENT_MS);
  }

  #isKnownAbsent(path: string): boolean {
    return Date.now() < (absentUntilMs.get(`${this.#origin}/${path}`) ?? 0);
  }
}

/** Whether a specifier names a package without a version. */
function leavesOpen(specifier: string): boolean {
  if (isRelative(specifier) || isBuiltin(specifier)) return false;
  const request = parseSpecifier(specifier);
  return request !== undefined && request.range === undefined;
}
