import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, gzipSync } from "node:zlib";

import { packTar } from "modern-tar";

import {
  type Attack,
  hold,
  holdsEndpoint,
  holdsService,
  holdWithin,
  newTenant,
  newWorkspace,
  operate,
  type Tenant,
  type World,
} from "./world.ts";

const BLOCK = 512;

/** The bytes of a file that compresses a thousandfold, and the number of imports of it at once. */
const INFLATED_BYTES = 2 ** 30 + 2 ** 24;
const BOMBS = 2;

/** The limit for an import of an archive that is built to take hours. */
const END_MS = 60_000;

export const imports: Attack[] = [
  {
    name: "one header that gives all entries a path of megabytes delays no import",
    async run(world) {
      const eve = await newTenant(world);
      const path = "a/".repeat(3 * 2 ** 20);
      const entries = Array.from({ length: 20_000 }, () => entry("x.mjs", "0", ""));
      const archive = gzipSync(Buffer.concat([entry("", "g", paxOf("path", path)), ...entries]));
      const id = await begin(world, eve, { archive });
      await holdsService(world);
      const { state } = await endOf(eve, id);
      hold(state === "failed", `The import ${state}`);
    },
  },
  {
    name: "archives that unpack to a thousand times their size delay no response",
    async run(world) {
      const bomb = entryHeader("x.bin", "0", INFLATED_BYTES);
      const zeros = Buffer.alloc(2 ** 24);
      const pieces = [bomb, ...Array.from({ length: INFLATED_BYTES / zeros.length }, () => zeros)];
      const archive = await gzipped(pieces);
      const ends = Array.from({ length: BOMBS }, async () => {
        const eve = await newTenant(world);
        return (await endOf(eve, await begin(world, eve, { archive }))).state;
      });
      const states = await holdsEndpoint(world, Promise.all(ends));
      hold(
        states.every((state) => state === "failed"),
        `The imports ${states.join(", ")}`,
      );
    },
  },
  {
    name: "components with missing imports fail soon, and stop no other component",
    async run(world) {
      const eve = await newTenant(world);
      const key = `eve${crypto.randomUUID().slice(0, 8)}`;
      const missing = Array.from({ length: 4000 }, (_, n) => `import "./missing-${n}";`).join("\n");
      const parts = Array.from({ length: 40 }, (_, n) => [
        `components/shop/common/part-${n}.mjs`,
        `export default "${"x".repeat(900_000)}";`,
      ]);
      const hostile = Array.from({ length: 20 }, (_, n) => [
        `components/shop/actions/bad-${n}/bad-${n}.mjs`,
        missing,
      ]);
      const good = `export default { key: "${key}-good", name: "Good", version: "1.0.0",
        type: "action", run() {} };`;
      const archive = await archiveOf(
        Object.fromEntries([...parts, ...hostile, ["components/shop/actions/good/good.mjs", good]]),
      );
      const id = await begin(world, eve, { archive });
      await holdsService(world);
      const { state, counts } = await endOf(eve, id);
      hold(state === "ended" && counts.published === 1, `It ${state}: ${JSON.stringify(counts)}`);
    },
  },
  {
    name: "an import of a former member publishes no further component into the workspace",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const org_id = await newWorkspace(world, ada, eve);
      const key = `left${crypto.randomUUID().slice(0, 8)}`;
      const files = Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [
          `components/shop/actions/do-${n}/do-${n}.mjs`,
          `export default { key: "${key}-${n}", name: "Do", version: "1.0.0", type: "action", run() {} };`,
        ]),
      );
      const id = await begin(world, eve, { archive: await archiveOf(files), org_id });
      await operate(world, "DELETE", `/workspaces/${org_id}/members/${eve.id}`);
      const { state, counts } = await endOf(ada, id);
      hold(state === "failed" && counts.published < 300, `It ${state}: ${JSON.stringify(counts)}`);
    },
  },
];

/** Begin an import of a compressed tarball. */
async function begin(
  { origin }: World,
  tenant: Tenant,
  { archive, ...more }: { archive: Buffer; org_id?: string },
): Promise<string> {
  const { data } = await tenant.call("POST", "/registry/imports", more);
  const response = await fetch(`${origin}/v1/registry/imports/${data.id}/archive`, {
    method: "PUT",
    headers: tenant.headers,
    body: new Uint8Array(archive),
  });
  hold(response.ok, `The archive got ${response.status}`);
  await response.body?.cancel();
  return data.id;
}

async function endOf(tenant: Tenant, id: string) {
  const read = async () => (await tenant.call("GET", `/registry/imports/${id}`)).data;
  const hasEnded = async () => /ended|failed/.test((await read()).state);
  await holdWithin(END_MS, hasEnded, `The import still runs after ${END_MS / 1000} s`);
  return read();
}

async function archiveOf(files: Record<string, string>): Promise<Buffer> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), type: "file" as const },
    body,
  }));
  return gzipSync(await packTar(entries));
}

/** A record of a POSIX extended header: its length, which includes its own digits, a name and a value. */
function paxOf(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const digits = String(rest.length).length;
  const length = rest.length + digits;
  return `${String(length).length === digits ? length : length + 1}${rest}`;
}

/** A tarball entry built by hand, because no packer writes such entries. */
function entry(name: string, type: string, body: string): Buffer {
  const header = entryHeader(name, type, Buffer.byteLength(body));
  const padding = Buffer.alloc((BLOCK - (Buffer.byteLength(body) % BLOCK)) % BLOCK);
  return Buffer.concat([header, Buffer.from(body), padding]);
}

function entryHeader(name: string, type: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total: number, byte: number) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Compressed in pieces: the whole would take a gigabyte here too. */
function gzipped(pieces: readonly Buffer[]): Promise<Buffer> {
  return buffer(Readable.from(pieces).pipe(createGzip()));
}
