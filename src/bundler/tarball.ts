import { unpackTar } from "modern-tar";

import { Refusal } from "./refusal.ts";

/** What an import can resolve to, by extension alone: a folder's name does not say what is in it. */
const IMPORTABLE = /(?<!\.d)\.(?:[cm]?[jt]s|json|wasm|node)$/;

const MAX_UNPACKED_BYTES = 300 * 2 ** 20;

/** The importable files of a package by their path inside it. */
export type PackageFiles = Map<string, Uint8Array>;

/** The registry's hashes of a tarball name what is kept of it, so they may not be of any length. */
const MAX_INTEGRITY = 512;

/** Whether this is what a tarball can be checked by: hashes, one of which at least is of a kind that is known. */
export function isIntegrity(text: string): boolean {
  if (text.length > MAX_INTEGRITY) return false;
  return text.split(/\s+/).some((hash) => /^sha(?:1|256|384|512)-[\w+/]+={0,2}(?:\?|$)/.test(hash));
}

/** Check a tarball against what the registry said of it, `sha512-…` or whatever else is the strongest there. */
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
 * Unpack what can be imported of a tarball. Streams: the whole of it unpacked may not fit into memory. `keep` is told how
 * much more is about to be held, and may refuse by throwing.
 */
export async function unpacked(
  bytes: Uint8Array<ArrayBuffer>,
  what: string,
  keep: (bytes: number) => void,
): Promise<PackageFiles> {
  const files: PackageFiles = new Map();
  const stream = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(atMost(MAX_UNPACKED_BYTES, what));
  const entries = await unpackTar(stream, {
    strip: 1,
    filter({ name, type, size }) {
      if (type !== "file" || !IMPORTABLE.test(name)) return false;
      keep(size);
      return true;
    },
  });
  for (const { header, data = new Uint8Array() } of entries) {
    // A native add-on can only be named, never run.
    files.set(header.name, header.name.endsWith(".node") ? new Uint8Array() : data);
  }
  return files;
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
