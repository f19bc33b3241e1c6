// @suites release

import { expect, onTestFinished, test } from "vitest";

import { unpacked } from "#bundler/tarball.ts";

const BLOCK = 512;
const MEMORY = { compresses: false, keep() {}, compile() {} };

/** An entry of a handmade tarball, because no packer writes such entries. */
function entry(name: string, { type = "0", body = "" } = {}): Uint8Array {
  const padded = Math.ceil(body.length / BLOCK) * BLOCK;
  const bytes = new Uint8Array(BLOCK + padded);
  const write = (text: string, at: number): void => bytes.set(new TextEncoder().encode(text), at);
  write(name, 0);
  write("0000644\0", 100);
  write("0000000\0", 108);
  write("0000000\0", 116);
  write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  write("00000000000\0", 136);
  write(" ".repeat(8), 148);
  write(type, 156);
  write("ustar\u000000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  write(body, BLOCK);
  return bytes;
}

/** A header that sets this path for all later entries. */
function pathOfAll(path: string): Uint8Array {
  const rest = ` path=${path}\n`;
  const digits = String(rest.length).length;
  const length = rest.length + digits;
  const record = `${String(length).length === digits ? length : length + 1}${rest}`;
  return entry("x", { type: "g", body: record });
}

async function tarball(entries: Iterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const tar = new Blob([...entries, new Uint8Array(2 * BLOCK)]);
  const packed = tar.stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const unpack = (bytes: Uint8Array<ArrayBuffer>) =>
  unpacked(bytes, { what: "pack@1.0.0", memory: MEMORY, isOmitted: () => false });

function* files(count: number): Generator<Uint8Array> {
  for (let n = 0; n < count; n += 1) yield entry(`package/${n}.js`);
}

test("rejects a package with too many files", async () => {
  const bytes = await tarball(files(100_001));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  onTestFinished(() => clearInterval(timer));
  await expect(unpack(bytes)).rejects.toThrow("it has more than 100000 files");
  // The event loop was free for other requests meanwhile.
  expect(turns).toBeGreaterThan(50);
});

test("ignores zero bytes after a tarball, and nothing else", async () => {
  const bytes = await tarball(files(3));
  const followedBy = (rest: number[]) => unpack(new Uint8Array([...bytes, ...rest]));
  expect([...(await followedBy(Array.from({ length: 700 }, () => 0))).keys()]).toHaveLength(3);
  await expect(followedBy([1, 2, 3])).rejects.toThrow("incorrect header check");
  await expect(unpack(bytes.slice(0, -20))).rejects.toThrow("unexpected end of file");
});

test("skips entries with a path of a megabyte", async () => {
  const long = pathOfAll(`package/${"a/".repeat(500_000)}z.js`);
  const bytes = await tarball([entry("package/index.js"), long, ...files(2000)]);
  expect([...(await unpack(bytes)).keys()]).toEqual(["index.js"]);
});
