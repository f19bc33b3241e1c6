import { createTarDecoder, type TarHeader } from "modern-tar";

import { isComponentFile } from "#domain/component-paths.ts";
import { isLicenseFile } from "#domain/licenses.ts";

import { gunzipped } from "./gunzip.ts";
import { paced } from "./paced.ts";
import { Refusal } from "./refusal.ts";

/** Maximum size of all files of an archive; images and texts are skipped, but counted. */
const MAX_UNPACKED_BYTES = 2 ** 30;

/** The components of the newest imports stay in D1. */
const MAX_COMPONENTS = 25_000;

/** Maximum entries of an archive, including folders and skipped files: reading one takes time even if it is empty. */
const MAX_ENTRIES = 500_000;

/** Larger files are skipped: no handwritten code is this large. */
const MAX_FILE_BYTES = 2 ** 20;

/** The index of an archive is held in memory, and its paths are sent in one call. */
const MAX_FILES = 100_000;
const MAX_PATH_CHARACTERS = 8 * 2 ** 20;

/** Files with longer paths are skipped. */
const MAX_PATH_LENGTH = 500;

/** Size of a pack, one object of the store, and maximum size of a pack with the files of one app alone. */
const PACK_CHARACTERS = 2 ** 20;
const APP_CHARACTERS = 4 * 2 ** 20;

const CODE = /\.(?:[cm]?[jt]s|json)$/;
const NEVER = /(?:^|\/)(?:node_modules|dist|\.git)\//;

/** The pack of each file of an archive, and the paths of the components. */
export type ArchiveIndex = { files: Record<string, number>; components: string[] };

/** Files by their paths in the archive. */
export type Pack = Record<string, string>;

/**
 * Read a tarball, compressed or not, with the layout `components/<app>/{sources,actions}/…`, perhaps inside one folder.
 * Code, manifests and licences are written in packs of about 1 MiB; nothing else is held. Throws a `Refusal` for other
 * archives, and for too large ones.
 */
export async function unpackArchive(
  archive: ReadableStream<Uint8Array>,
  write: (pack: number, files: Pack) => Promise<void>,
): Promise<ArchiveIndex> {
  const packer = new Packer(write);
  try {
    const entries = (await plain(archive)).pipeThrough(counted()).pipeThrough(createTarDecoder());
    let count = 0;
    for await (const { header, body } of paced(entries)) {
      count += 1;
      if (count > MAX_ENTRIES) throw new Refusal(`It has more than ${MAX_ENTRIES} entries`);
      const path = keptPath(header);
      if (path === undefined) await body.pipeTo(new WritableStream());
      else await packer.add(path, await new Response(body).text());
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("It is not a readable tarball, or it is truncated", { cause: error });
  }
  return packer.end();
}

/** The app of a file; "" for files outside of apps. */
function appOf(path: string): string {
  return /^components\/([^/]+)\/./.exec(path)?.[1] ?? "";
}

/** Packs files in the order of the archive: app by app. */
class Packer {
  readonly #write: (pack: number, files: Pack) => Promise<void>;
  readonly #packs = new Map<string, number>();
  readonly #components: string[] = [];
  #files: Pack = {};
  #characters = 0;
  #app = "";
  #count = 0;
  #filesInAll = 0;
  #pathCharacters = 0;

  constructor(write: (pack: number, files: Pack) => Promise<void>) {
    this.#write = write;
  }

  async add(path: string, text: string): Promise<void> {
    this.#admit(path);
    const app = appOf(path);
    const most = app === this.#app ? APP_CHARACTERS : PACK_CHARACTERS;
    if (this.#characters >= most) await this.#flush();
    this.#app = app;
    this.#packs.set(path, this.#count);
    this.#files[path] = text;
    this.#characters += text.length;
    if (!isComponentFile(path, text)) return;
    this.#components.push(path);
    if (this.#components.length > MAX_COMPONENTS)
      throw new Refusal(`It has more than ${MAX_COMPONENTS} components`);
  }

  async end(): Promise<ArchiveIndex> {
    await this.#flush();
    if (this.#components.length === 0)
      throw new Refusal("It has no component at components/<app>/{sources,actions}/…");
    return { files: Object.fromEntries(this.#packs), components: this.#components.toSorted() };
  }

  #admit(path: string): void {
    this.#filesInAll += 1;
    this.#pathCharacters += path.length;
    if (this.#filesInAll > MAX_FILES)
      throw new Refusal(`It has more than ${MAX_FILES} files of code, manifests and licences`);
    if (this.#pathCharacters > MAX_PATH_CHARACTERS)
      throw new Refusal(`The paths of its files have more than ${MAX_PATH_CHARACTERS} characters`);
  }

  async #flush(): Promise<void> {
    await this.#write(this.#count, this.#files);
    this.#count += 1;
    this.#files = {};
    this.#characters = 0;
  }
}

/** The path of a file that components may need, from `components/` on; undefined for other files. */
function keptPath({ name, type, size }: TarHeader): string | undefined {
  // Checked first: one header may give all entries a path of megabytes.
  if (name.length > MAX_PATH_LENGTH) return undefined;
  const path = name.replace(/^\.\//, "");
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (type !== "file" || size > MAX_FILE_BYTES || !isNeeded(path, file)) return undefined;
  const [, inApps] = /^(?:[^/]+\/)?(components\/.+)$/.exec(path) ?? [];
  return inApps ?? (isBeside(path) ? file : undefined);
}

function isNeeded(path: string, file: string): boolean {
  if (NEVER.test(path)) return false;
  return CODE.test(file) || isLicenseFile(file);
}

/** Whether a file is the whole repository's own manifest or licence, beside its components. */
function isBeside(path: string): boolean {
  const [file = "", folder = ""] = path.split("/").toReversed();
  if (file !== "package.json" && !isLicenseFile(file)) return false;
  return path === file || path === `${folder}/${file}`;
}

/** The tar of an archive: decompressed if it begins as gzip does. */
async function plain(archive: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = archive.getReader();
  const { value: first = new Uint8Array() } = await reader.read();
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new Uint8Array(first)),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const isGzip = first[0] === 0x1f && first[1] === 0x8b;
  return isGzip ? gunzipped(whole) : whole;
}

function counted(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_UNPACKED_BYTES)
        throw new Refusal(`It is larger than ${MAX_UNPACKED_BYTES / 2 ** 30} GiB unpacked`);
      controller.enqueue(chunk);
    },
  });
}
