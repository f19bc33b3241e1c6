import { foldersAbove, folderOf, isLicenseFile } from "#domain/licenses.ts";

import type { ArchiveIndex, Pack } from "./archive.ts";
import type { ArchivedComponent } from "./contract.ts";
import { candidates, isRelative, joined } from "./paths.ts";
import { manifestsAbove } from "./version-ranges.ts";

/**
 * Maximum packs in memory: those of one app, and those of other apps' code that it imports. Each has up to 10 MB of
 * text.
 */
const MAX_HELD = 4;

/** Maximum size of a component, as for one that is read from a URL. */
const MAX_COMPONENT_FILES = 200;
const MAX_COMPONENT_CHARACTERS = 5 * 2 ** 20;

/** Maximum relative imports of all files of a component. */
const MAX_COMPONENT_IMPORTS = 1000;

/** Maximum packs that the files of a component are in: each is read and parsed, and few are held. */
const MAX_COMPONENT_PACKS = 32;

/** Matches specifiers after `from`, `import`, `import(` and `require(`. A false match only adds a file. */
const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]*|\.{1,2})\1/g;

/** Files of an unpacked archive, read pack by pack. */
export class ArchivedFiles {
  readonly #read: (pack: number) => Promise<Pack>;
  /** The pack of each file, by its path. */
  readonly #packs: ReadonlyMap<string, number>;
  /** The paths of licences, by their folders. */
  readonly #licenses: ReadonlyMap<string, string[]>;
  readonly #held = new Map<number, Promise<Pack>>();

  constructor(index: ArchiveIndex, read: (pack: number) => Promise<Pack>) {
    this.#read = read;
    this.#packs = new Map(Object.entries(index.files));
    this.#licenses = Map.groupBy([...this.#packs.keys()].filter(isLicenseFile), folderOf);
  }

  /**
   * A component's file with all files that it needs: its relative imports, the manifests above and the nearest licence;
   * or the reason if it is too large.
   */
  async closure(entry: string): Promise<ArchivedComponent> {
    const files = new Bounded();
    const waiting = [entry];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      waiting.push(...(await this.#take(path, files)));
      if (files.refusal !== undefined) return { ok: false, entry, reason: files.refusal };
    }
    for (const path of this.#licensesAbove(entry)) await this.#add(path, files);
    if (files.refusal !== undefined) return { ok: false, entry, reason: files.refusal };
    return { ok: true, entry, files: files.all };
  }

  /** Add a file and the manifests above it. Returns the paths of its imports. */
  async #take(path: string, files: Bounded): Promise<string[]> {
    const text = await this.#add(path, files);
    if (text === undefined) return [];
    for (const manifest of manifestsAbove(path)) await this.#add(manifest, files);
    const specifiers = files.noteImports(specifiersIn(text));
    return specifiers.flatMap((specifier) => {
      const found = candidates(joined(path, specifier)).find((one) => this.#packs.has(one));
      return found ?? [];
    });
  }

  /** Add a file that is not there yet. Returns its text; undefined if there is none, or it has been added. */
  async #add(path: string, files: Bounded): Promise<string | undefined> {
    const pack = this.#packs.get(path);
    if (pack === undefined || files.refusal !== undefined || Object.hasOwn(files.all, path))
      return undefined;
    files.notePack(pack);
    const text = (await this.#pack(pack))[path];
    if (text !== undefined) files.add(path, text);
    return text;
  }

  /** The licences in the nearest folder above a file that has one. */
  #licensesAbove(path: string): readonly string[] {
    for (const folder of foldersAbove(path)) {
      const found = this.#licenses.get(folder);
      if (found !== undefined) return found;
    }
    return [];
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

/** The files of one component, and the limit that they exceed. */
class Bounded {
  readonly all: Record<string, string> = {};
  refusal: string | undefined;
  readonly #packs = new Set<number>();
  #files = 0;
  #characters = 0;
  #imports = 0;

  add(path: string, text: string): void {
    this.all[path] = text;
    this.#files += 1;
    this.#characters += text.length;
    if (this.#files > MAX_COMPONENT_FILES)
      this.refusal = `The component has more than ${MAX_COMPONENT_FILES} files`;
    if (this.#characters > MAX_COMPONENT_CHARACTERS)
      this.refusal = `The component's files are larger than ${MAX_COMPONENT_CHARACTERS} characters`;
  }

  notePack(pack: number): void {
    this.#packs.add(pack);
    if (this.#packs.size > MAX_COMPONENT_PACKS)
      this.refusal = "The component's files are too far apart in the archive";
  }

  /** The imports that may be followed. */
  noteImports(specifiers: string[]): string[] {
    this.#imports += specifiers.length;
    if (this.#imports <= MAX_COMPONENT_IMPORTS) return specifiers;
    this.refusal = `The component has more than ${MAX_COMPONENT_IMPORTS} relative imports`;
    return [];
  }
}

function specifiersIn(text: string): string[] {
  const found = text.matchAll(SPECIFIER).map(([, , specifier = ""]) => specifier);
  return [...new Set(found)].filter(isRelative);
}
