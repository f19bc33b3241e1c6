import { foldersAbove, folderOf, isLicenseFile } from "#domain/licenses.ts";

import { appOf, type ArchiveIndex, type Pack } from "./archive.ts";
import type { ArchivedComponent } from "./contract.ts";
import { candidates, isRelative, joined } from "./paths.ts";
import { manifestsAbove } from "./version-ranges.ts";

/** How many packs are held: those of one app, and what others' code it imports. Each has up to 10 MB of text. */
const MAX_HELD = 4;

/** How large a component may be, as one that is read from a URL. */
const MAX_COMPONENT_FILES = 200;
const MAX_COMPONENT_CHARACTERS = 5 * 2 ** 20;

/** What follows `from`, `import`, `import(` and `require(`. A text that only looks like it brings a file too many. */
const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]*|\.{1,2})\1/g;

/** Files of an unpacked archive, read pack by pack. */
export class ArchivedFiles {
  readonly #read: (pack: number) => Promise<Pack>;
  readonly #index: ArchiveIndex;
  readonly #held = new Map<number, Promise<Pack>>();

  constructor(index: ArchiveIndex, read: (pack: number) => Promise<Pack>) {
    this.#index = index;
    this.#read = read;
  }

  /**
   * A component's file and all that it needs: what it imports relatively, the manifests above and the nearest licence.
   * Or why it is too large.
   */
  async closure(entry: string): Promise<ArchivedComponent> {
    const files = new Bounded();
    const waiting = [entry];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (!files.has(path)) waiting.push(...(await this.#take(path, files)));
      if (files.refusal !== undefined) return { ok: false, entry, reason: files.refusal };
    }
    for (const [path, text] of Object.entries(await this.#licensesAbove(entry)))
      files.add(path, text);
    if (files.refusal !== undefined) return { ok: false, entry, reason: files.refusal };
    return { ok: true, entry, files: files.all };
  }

  /** Add a file and the manifests above it. Returns the paths of what it imports. */
  async #take(path: string, files: Bounded): Promise<string[]> {
    const text = await this.text(path);
    if (text === undefined) return [];
    files.add(path, text);
    for (const manifest of manifestsAbove(path)) {
      const listed = files.has(manifest) ? undefined : await this.text(manifest);
      if (listed !== undefined) files.add(manifest, listed);
    }
    const imported: string[] = [];
    for (const specifier of specifiersIn(text))
      imported.push(...(await this.#first(candidates(joined(path, specifier)))));
    return imported;
  }

  /** A file's text; undefined where there is none. */
  async text(path: string): Promise<string | undefined> {
    for (const pack of this.#packsOf(appOf(path))) {
      const files = await this.#pack(pack);
      if (Object.hasOwn(files, path)) return files[path];
    }
    return undefined;
  }

  /** The texts of licences in the nearest folder above a file that has one. */
  async #licensesAbove(path: string): Promise<Record<string, string>> {
    const above = foldersAbove(path);
    const found: [path: string, text: string][] = [];
    for (const app of new Set([appOf(path), ""]))
      for (const pack of this.#packsOf(app))
        found.push(
          ...Object.entries(await this.#pack(pack)).filter(([file]) => isLicenseFile(file)),
        );
    for (const folder of above) {
      const inFolder = found.filter(([file]) => folderOf(file) === folder);
      if (inFolder.length > 0) return Object.fromEntries(inFolder);
    }
    return {};
  }

  async #first(paths: readonly string[]): Promise<string[]> {
    for (const path of paths) if ((await this.text(path)) !== undefined) return [path];
    return [];
  }

  #packsOf(app: string): number[] {
    return Object.hasOwn(this.#index.packs, app) ? (this.#index.packs[app] ?? []) : [];
  }

  #pack(number: number): Promise<Pack> {
    const pack = this.#held.get(number) ?? this.#read(number);
    this.#held.delete(number);
    this.#held.set(number, pack);
    const [oldest] = this.#held.keys();
    if (oldest !== undefined && this.#held.size > MAX_HELD) this.#held.delete(oldest);
    return pack;
  }
}

/** The files of one component, and which limit they exceed. */
class Bounded {
  readonly all: Record<string, string> = {};
  refusal: string | undefined;
  #count = 0;
  #characters = 0;

  has(path: string): boolean {
    return Object.hasOwn(this.all, path);
  }

  add(path: string, text: string): void {
    this.all[path] = text;
    this.#count += 1;
    this.#characters += text.length;
    if (this.#count > MAX_COMPONENT_FILES)
      this.refusal = `The component has more than ${MAX_COMPONENT_FILES} files`;
    if (this.#characters > MAX_COMPONENT_CHARACTERS)
      this.refusal = `The component's files are larger than ${MAX_COMPONENT_CHARACTERS} characters`;
  }
}

function specifiersIn(text: string): string[] {
  const found = text.matchAll(SPECIFIER).map(([, , specifier = ""]) => specifier);
  return [...new Set(found)].filter(isRelative);
}
