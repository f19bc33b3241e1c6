// Random values for modules while they are loaded, when the runtime has none. They derive from a seed that each isolate
// draws in its first call.
import nodeCrypto, { createHash } from "node:crypto";

import { unlessLoading } from "./load-timers.worker.js";

// They are called on the receiver of each call.
const { getRandomValues, randomUUID } = /** @type {any} */ (Crypto.prototype);
const BLOCK_BYTES = 64;

/** @type {any} */
let seed;
let blocks = 0;

/** Draw the seed. Only in a call. */
export function seedRandom() {
  seed = getRandomValues.call(crypto, new Uint8Array(BLOCK_BYTES));
}

/** Fill bytes with hashes of the seed and a counter. */
function fill(bytes) {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    blocks += 1;
    const block = createHash("sha512").update(seed).update(String(blocks)).digest();
    bytes.set(block.subarray(0, bytes.length - at), at);
  }
  return bytes;
}

/** @param {any} view */
function fillView(view) {
  fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return view;
}

function uuid() {
  const bytes = fill(Buffer.alloc(16));
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** @type {any} */ (Crypto.prototype).getRandomValues = function getRandomValuesAtAnyTime(view) {
  return unlessLoading(
    () => getRandomValues.call(this, view),
    () => fillView(view),
  );
};

/** @type {any} */ (Crypto.prototype).randomUUID = function randomUUIDAtAnyTime() {
  return unlessLoading(() => randomUUID.call(this), uuid);
};

// The runtime binds this one to its own function; all others of `node:crypto` use the global ones.
/** @type {any} */ (nodeCrypto).getRandomValues = (view) => crypto.getRandomValues(view);
