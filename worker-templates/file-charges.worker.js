// The bytes that each function for writing to a file adds to /tmp of a run.
import { MAX_BYTES, realPath, runFolder, sizeOf } from "./run-folder.worker.js";

function bytesIn(data, encoding) {
  if (typeof data === "string")
    return Buffer.byteLength(data, typeof encoding === "string" ? encoding : encoding?.encoding);
  return data?.byteLength ?? 0;
}

/** Charge for data that is written as a whole, replacing the content of a file. */
function whole(path, data, options) {
  const isAppended = typeof options === "object" && String(options?.flag ?? "w").startsWith("a");
  const freed = typeof path === "number" || isAppended ? 0 : sizeOf(realPath(path));
  charge(bytesIn(data, options), path, freed);
}

/**
 * Charge for some bytes.
 * @param {number} bytes
 * @param {string} path
 * @param {number} [freed] bytes that the same change frees
 */
export function charge(bytes, path, freed) {
  if (bytes > 0) runFolder()?.charge(bytes, path, freed);
}

/** Charge for a write to an open file: text, or part of a buffer. */
function part(file, data, offset, length, encoding) {
  if (typeof data === "string") return charge(bytesIn(data, encoding ?? length), file);
  const { offset: from = 0, length: most } = isObject(offset) ? offset : { offset, length };
  charge(most ?? bytesIn(data) - from, file);
}

const isObject = (value) => typeof value === "object" && value !== null;

const several = (file, buffers) =>
  charge(
    buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0),
    file,
  );

const copied = (from, to) => charge(sizeOf(realPath(from)), to, sizeOf(realPath(to)));
const grown = (file, length) =>
  charge(Number(length) || 0, file, typeof file === "number" ? 0 : sizeOf(realPath(file)));

/** By the name of a function, without `Sync`: charges for its arguments. */
export const CHARGES = {
  writeFile: whole,
  appendFile: (path, data, options) => charge(bytesIn(data, options), path),
  write: part,
  writev: several,
  copyFile: copied,
  cp: copied,
  truncate: grown,
  ftruncate: grown,
};

/** Streamed data as a whole; other data unchanged. */
export async function collected(data, path) {
  if (!comesInPieces(data)) return data;
  const pieces = [];
  let bytes = 0;
  for await (const piece of data) {
    pieces.push(Buffer.from(piece));
    bytes += pieces.at(-1).length;
    // A write that alone is too large need not wait for others.
    if (bytes > MAX_BYTES) charge(bytes, path);
  }
  return Buffer.concat(pieces);
}

function comesInPieces(data) {
  if (!isObject(data) || ArrayBuffer.isView(data)) return false;
  return Symbol.asyncIterator in data || Symbol.iterator in data;
}
