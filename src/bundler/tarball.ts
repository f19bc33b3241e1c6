import { createTarDecoder, type TarHeader } from "modern-tar";

import { gunzipped } from "./gunzip.ts";
import { hold, type HeldFile } from "./held-file.ts";
import { paced } from "./paced.ts";
import { Refusal } from "./refusal.ts";
import type { FileMemory } from "./set-memory.ts";

/** Files that an import can resolve to, by extension alone: names of folders are not reliable. */
const IMPORTABLE = /(?<!\.d)\.(?:[cm]?[jt]s|json|wasm|node)$/;

/** Other files that no code reads. */
const NOT_READ =
  /\.(?:map|md|markdown|flow|tsbuildinfo|[jt]sx|d\.[cm]?ts)$|(?:^|\/)(?:licen[cs]e|readme|changelog|history|authors)[^/]*$/i;

/** Maximum size of a file that code may read, and of all of a package, compressed. Larger ones are absent. */
const MAX_DATA_FILE_BYTES = 4 * 2 ** 20;
const MAX_DATA_BYTES = 2 ** 20;

const MAX_UNPACKED_BYTES = 300 * 2 ** 20;

/** Reading an entry takes time and memory even if it is empty. The largest packages of icons have half as many. */
const MAX_ENTRIES = 100_000;

/** One header may give all entries a path of megabytes. */
const MAX_PATH_LENGTH = 1000;

/** The importable files of a package, and those that its code may read, by their path inside it. */
export type PackageFiles = Map<string, HeldFile>;

/** The registry's hashes of a tarball are part of its key in the store, so their length is limited. */
const MAX_INTEGRITY = 512;

/** Whether a text can verify a tarball: hashes, at least one of them of a known kind. */
export function isIntegrity(text: string): boolean {
  if (text.length > MAX_INTEGRITY) return false;
  return text.split(/\s+/).some((hash) => /^sha(?:1|256|384|512)-[\w+/]+={0,2}(?:\?|$)/.test(hash));
}

/** Check a tarball against the registry's integrity, by the strongest hash that it lists (`sha512-…`). */
export async function isIntact(
  bytes: Uint8Array<ArrayBuffer>,
  integrity: string,
): Promise<boolean> {
  const hashes = integrity.split(/\s+/).map((hash) => hash.replace(/\?.*$/, ""));
  for (const [prefix, algorithm] of [
    ["sha512-", "SHA-512"],
    ["sha384-", "SHA-384"],
    ["sha256-", "SHA-256"],
    ["sha1-", "SHA-1"],
  ] as const) {
    const expected = hashes.filter((hash) => hash.startsWith(prefix));
    if (expected.length === 0) continue;
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
    return expected.includes(prefix + digest.toBase64());
  }
  return false;
}

/**
 * `memory` receives the number of bytes before they are held, and may refuse them by throwing. Omitted files are empty.
 */
export type Unpacking = { what: string; memory: FileMemory; isOmitted: (path: string) => boolean };

/** Unpack the files of a tarball that are used. Streams: the unpacked whole may not fit into memory. */
export async function unpacked(
  bytes: Uint8Array<ArrayBuffer>,
  { what, memory, isOmitted }: Unpacking,
): Promise<PackageFiles> {
  const files: PackageFiles = new Map();
  const entries = gunzipped(new Blob([bytes]).stream())
    .pipeThrough(atMost(MAX_UNPACKED_BYTES, what))
    .pipeThrough(createTarDecoder());
  let [count, dataBytes] = [0, 0];
  for await (const { header, body } of paced(entries)) {
    count += 1;
    if (count > MAX_ENTRIES)
      throw new Refusal(
        `The package "${what}" is too large: it has more than ${MAX_ENTRIES} files`,
      );
    const path = pathOf(header);
    if (path === undefined) await body.pipeTo(new WritableStream());
    else if (path.endsWith(".node") || isOmitted(path)) {
      await body.pipeTo(new WritableStream());
      files.set(path, EMPTY);
    } else if (IMPORTABLE.test(path)) {
      files.set(path, await kept(path, header.size, { body, what, memory }));
    } else {
      const data = await hold(body, header.size, true);
      dataBytes += data.bytes.length;
      if (dataBytes <= MAX_DATA_BYTES) files.set(path, counted(data, what, memory));
    }
  }
  return files;
}

function counted(data: HeldFile, what: string, memory: FileMemory): HeldFile {
  memory.keep(data.bytes.length, what);
  return data;
}

/** The stub of a native add-on, which can be imported, but never run. */
const EMPTY: HeldFile = { bytes: new Uint8Array(), size: 0, isCompressed: false };

/** The path below the package's top folder of a file that is used. */
function pathOf({ name, type, size }: TarHeader): string | undefined {
  if (name.length > MAX_PATH_LENGTH) return undefined;
  const path = name.split("/").filter(Boolean).slice(1).join("/");
  if (type !== "file" || path === "") return undefined;
  const isData = size <= MAX_DATA_FILE_BYTES && !NOT_READ.test(path);
  return IMPORTABLE.test(path) || isData ? path : undefined;
}

type Kept = { body: ReadableStream<Uint8Array>; what: string; memory: FileMemory };

async function kept(path: string, size: number, { body, what, memory }: Kept): Promise<HeldFile> {
  // Manifests are read repeatedly.
  const compresses = memory.compresses && !path.endsWith("package.json");
  if (!compresses) memory.keep(size, what);
  const file = await hold(body, size, compresses);
  if (compresses) memory.keep(file.bytes.length, what);
  return file;
}

function atMost(limit: number, what: string): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > limit) throw tooLarge(what, size);
      controller.enqueue(chunk);
    },
  });
}

function tooLarge(what: string, size: number): Refusal {
  return new Refusal(
    `The package "${what}" is too large: ${(size / 2 ** 20).toFixed(1)} MB or more unpacked`,
  );
}
