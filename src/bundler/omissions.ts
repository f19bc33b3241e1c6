import type { Lockfile } from "#domain/lockfile.ts";

import { COMPONENT } from "./dependency-set.ts";
import { PARTIAL_PACKAGES, type UsedParts } from "./partial-packages.ts";

/** The files of one set's packages that its component cannot reach. */
export class Omissions {
  readonly #used: UsedParts;
  /** The folders of the packages with parts. */
  readonly #folders: string[];
  readonly #seen = new Map<string, Set<string>>();
  #isShared = false;

  constructor(used: UsedParts, { packages }: Lockfile) {
    this.#used = used;
    this.#folders = Object.keys(packages).filter((folder) =>
      used.has(packages[folder]?.name ?? ""),
    );
  }

  /** Whether a file of a package is left out. */
  omits(name: string, path: string): boolean {
    const used = this.#used.get(name);
    const { folder = "" } = PARTIAL_PACKAGES.get(name) ?? {};
    if (used === undefined || !path.startsWith(folder)) return false;
    const [part = "", inside] = path.slice(folder.length).split("/", 2);
    if (inside === undefined) return false;
    this.#seen.set(name, (this.#seen.get(name) ?? new Set()).add(part));
    return !used.has(part);
  }

  /** Note an import: another package may use parts that the component does not name. */
  noteImport(importer: string, path: string): void {
    const folder = this.#folders.find((own) => path.startsWith(`${own}/`));
    if (folder !== undefined && importer !== COMPONENT && !importer.startsWith(`${folder}/`))
      this.#isShared = true;
  }

  /**
   * Whether the set works without the omitted files: it contains every name that the component uses, and nothing else
   * imports the rest.
   */
  areRight(): boolean {
    if (this.#isShared) return false;
    return [...this.#used].every(([name, parts]) =>
      parts.isSubsetOf(this.#seen.get(name) ?? new Set()),
    );
  }
}
