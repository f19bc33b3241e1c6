import { Refusal } from "../refusal.ts";
import type { LinkedFile } from "./gather.ts";

/** Size of one module of the isolate: it is parsed when its first file is used. */
const MAX_CHUNK_CHARACTERS = 256 * 2 ** 10;

/** Size of one object of the store: reading and writing hold it in memory twice. */
const MAX_PART_CHARACTERS = 4 * 2 ** 20;

/** Maximum code of a set: the isolate that runs it has 128 MB for the code and all its data. */
const MAX_CHARACTERS = 40 * 2 ** 20;

/** Writes files into modules and those into parts, so that hardly more than a part of a set is ever in memory. */
export class PartWriter {
  readonly #put: (part: number, text: string) => Promise<void>;
  readonly #files: Record<string, number> = {};
  #chunk: string[] = [];
  #chunkCharacters = 0;
  #chunks = 0;
  #part: Record<string, string> = {};
  #partCharacters = 0;
  #parts = 0;
  #characters = 0;
  readonly #charactersOf = new Map<string, number>();

  /** `put` stores a part, counted from 1. */
  constructor(put: (part: number, text: string) => Promise<void>) {
    this.#put = put;
  }

  /** Throws a `Refusal` if the set has too much code. */
  async add(file: LinkedFile): Promise<void> {
    const text = textOf(file);
    this.#count(file.path, text.length);
    this.#files[file.path] = this.#chunks;
    this.#chunk.push(text);
    this.#chunkCharacters += text.length;
    if (this.#chunkCharacters >= MAX_CHUNK_CHARACTERS) await this.#endChunk();
  }

  /** The module of each file, the number of parts, and the size of the code in them. */
  async end(): Promise<{ files: Record<string, number>; parts: number; characters: number }> {
    if (this.#chunk.length > 0) await this.#endChunk();
    if (this.#partCharacters > 0) await this.#endPart();
    return { files: this.#files, parts: this.#parts, characters: this.#characters };
  }

  #count(path: string, characters: number): void {
    this.#characters += characters;
    const name = packageOf(path);
    this.#charactersOf.set(name, (this.#charactersOf.get(name) ?? 0) + characters);
    if (this.#characters > MAX_CHARACTERS) throw tooMuchCode(this.#charactersOf);
  }

  async #endChunk(): Promise<void> {
    const text = `module.exports = {\n${this.#chunk.join("")}};`;
    this.#part[`dependencies/chunk-${this.#chunks}.cjs`] = text;
    this.#chunks += 1;
    this.#chunk = [];
    this.#chunkCharacters = 0;
    this.#partCharacters += text.length;
    if (this.#partCharacters >= MAX_PART_CHARACTERS) await this.#endPart();
  }

  async #endPart(): Promise<void> {
    this.#parts += 1;
    const text = JSON.stringify(this.#part);
    this.#part = {};
    this.#partCharacters = 0;
    await this.#put(this.#parts, text);
  }
}

/** The parameters of files' functions, as `worker-templates/packages.worker.js` passes them. */
const GIVEN = "self, importing, namespaceOf, moduleUrl";

function textOf({ path, format, code, requires, imports }: LinkedFile): string {
  const [outer, inner] =
    format === "cjs"
      ? [GIVEN, "exports, require, module, __filename, __dirname"]
      : [`${GIVEN}, __filename, __dirname`, "exports, require, module"];
  const known = JSON.stringify({ format, requires, imports }).slice(1, -1);
  return `${JSON.stringify(path)}: {${known},"code":(${outer}) => function (${inner}) {${code}\n}},\n`;
}

function packageOf(path: string): string {
  const [scope = "", name] = path.slice(path.lastIndexOf("node_modules/") + 13).split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

function tooMuchCode(charactersOf: ReadonlyMap<string, number>): Refusal {
  const [largest, characters] = [...charactersOf].reduce((a, b) => (b[1] > a[1] ? b : a));
  return new Refusal(
    `The imported packages are too large: more than ${MAX_CHARACTERS / 2 ** 20} MB of code that is reached, ` +
      `${(characters / 2 ** 20).toFixed(1)} MB or more of it in "${largest}"`,
  );
}
