import "./help.ts";
import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";

import { packTar } from "modern-tar/fs";

import { call } from "./api.ts";
import { Refusal } from "./local/refusal.ts";

/**
 * Imports all components of a folder, of a tarball or of an archive's URL into a registry, and shows how far it is. With
 * ADMIN_TOKEN into the global one; with WELLSPRING_API_KEY into one's own, or that of a workspace.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { workspace: { type: "string" }, json: { type: "boolean", default: false } },
});
const {
  WELLSPRING_URL: origin = "http://127.0.0.1:8787",
  WELLSPRING_API_KEY: key,
  ADMIN_TOKEN: token,
} = process.env;

/** What cannot be code, and would only be sent. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|dist)(?:\/|$)/;
const SENT = /(?:\.(?:[cm]?[jt]s|json)|(?:^|\/)(?:licen[cs]e|copying)[^/]*)$/i;

const POLL_MS = 1000;

/** How many looks in a row may find no platform: a restart takes less. */
const MOST_MISSED = 120;
const PAGE = 100;
const BAR_WIDTH = 30;

type State = "waiting" | "published" | "unchanged" | "refused" | "failed";
type Import = {
  id: string;
  state: "awaiting_archive" | "running" | "ended" | "failed";
  error: string | null;
  total: number;
  counts: Record<State, number>;
};
type Item = { number: number; path: string; state: State; message: string | null };

const registry = {
  url: `${origin.replace(/\/$/, "")}/${key === undefined ? "admin" : "v1"}`,
  apiKey: key ?? token ?? "",
};

try {
  const [given, ...others] = positionals;
  if (given === undefined || others.length > 0)
    throw new Refusal(
      "Usage: npm run registry:import -- DIR|TARBALL|URL [--workspace o_…] [--json]",
    );
  if (registry.apiKey === "")
    throw new Refusal(
      "ADMIN_TOKEN or WELLSPRING_API_KEY is required; a local token is in .wrangler/state/secrets.env",
    );
  const ended = await followed((await begun(given)).id);
  await report(ended);
} catch (error) {
  const unreachable = `Nothing answers at ${origin}: start the platform, or set WELLSPRING_URL`;
  const told = error instanceof Refusal ? error.message : error;
  console.error(isUnreachable(error) ? unreachable : told);
  process.exitCode = 1;
}

async function begun(given: string): Promise<Import> {
  const named = values.workspace === undefined ? {} : { org_id: values.workspace };
  const isUrl = /^https?:\/\//.test(given);
  const created: Import = await call(
    registry,
    "/registry/imports",
    { ...named, ...(isUrl && { archive_url: given }) },
    "POST",
  );
  if (!isUrl) await uploaded(resolve(given), created.id);
  return created;
}

/** Send a tarball as it is, and a folder as one. */
async function uploaded(path: string, id: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined);
  if (entry === undefined) throw new Refusal(`There is no ${path}`);
  if (entry.isFile()) return send(path, id);
  const folder = await mkdtemp(join(tmpdir(), "import-"));
  try {
    const archive = join(folder, "archive.tgz");
    const packed = packTar(path, {
      filter: (file, found) => !LEFT_OUT.test(file) && (found.isDirectory() || SENT.test(file)),
    });
    await pipeline(packed, createGzip(), createWriteStream(archive));
    await send(archive, id);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function send(archive: string, id: string): Promise<void> {
  const { size } = await stat(archive);
  const file = await open(archive);
  const response = await fetch(`${registry.url}/registry/imports/${id}/archive`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${registry.apiKey}`,
      "content-type": "application/gzip",
      "content-length": String(size),
    },
    body: Readable.toWeb(file.createReadStream()),
    duplex: "half",
  } as RequestInit);
  if (!response.ok) throw new Refusal(`The archive was not taken: ${await response.text()}`);
}

/** Show how far an import is until it has ended. It goes on over a restart of the platform, and so does this. */
async function followed(id: string): Promise<Import> {
  for (let missed = 0; ;) {
    const found = await seen(id).catch((error: unknown) => {
      missed += 1;
      if (!isUnreachable(error) || missed > MOST_MISSED) throw error;
    });
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    if (found === undefined) continue;
    missed = 0;
    if (!values.json) show(found);
    if (found.state === "ended" || found.state === "failed") return found;
  }
}

function seen(id: string): Promise<Import> {
  return call(registry, `/registry/imports/${id}`);
}

/** Whether nothing answered: `fetch` fails with a TypeError then. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");
}

function show({ total, counts }: Import): void {
  const done = total - counts.waiting;
  const filled = total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH);
  const bar = "█".repeat(filled).padEnd(BAR_WIDTH, "░");
  const line = `${bar} ${done} of ${total || "?"}: ${summary(counts)}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
}

function summary({ published, unchanged, refused, failed }: Import["counts"]): string {
  return `${published} published, ${unchanged} unchanged, ${refused} refused, ${failed} failed`;
}

async function report({ id, state, error, counts }: Import): Promise<void> {
  if (process.stderr.isTTY) process.stderr.write("\n");
  const items = [...(await itemsOf(id, "refused")), ...(await itemsOf(id, "failed"))];
  if (values.json) console.log(JSON.stringify({ id, state, error, counts, items }, null, 2));
  else {
    for (const { path, state: became, message } of items)
      console.log(`${path}: ${became}: ${message}`);
    console.log(`${id} ${state}: ${summary(counts)}`);
  }
  if (error !== null) throw new Refusal(error);
}

/** All components of an import that are in a state, page by page. */
async function itemsOf(id: string, state: State): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = -1; ; after = items.at(-1)?.number ?? after) {
    const query = `state=${state}&limit=${PAGE}&after=${after}`;
    const page: Item[] = await call(registry, `/registry/imports/${id}/components?${query}`);
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}
