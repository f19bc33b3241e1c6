import "./help.ts";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

import {
  hasEnded,
  type Import,
  isUrl,
  POLL_MS,
  summaryOf,
  unpublishedOf,
  withArchive,
} from "../../packages/cli/src/collections.ts";
import { call } from "./api.ts";
import { Refusal } from "./local/refusal.ts";

/**
 * Imports all components of a folder, of a tarball or of an archive's URL into a registry, and shows the progress. With
 * ADMIN_TOKEN into the global one; with WELLSPRING_API_KEY into the user's own, or that of a workspace.
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

/** The number of polls without a response after which the platform counts as gone: a restart takes less. */
const MAX_MISSED_POLLS = 120;
const BAR_WIDTH = 30;

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
  const unreachable = `No platform responds at ${origin}: start the platform, or set WELLSPRING_URL`;
  const reason = error instanceof Refusal ? error.message : error;
  console.error(isUnreachable(error) ? unreachable : reason);
  process.exitCode = 1;
}

async function begun(given: string): Promise<Import> {
  const named = values.workspace === undefined ? {} : { org_id: values.workspace };
  const url = isUrl(given) ? { archive_url: given } : {};
  const created: Import = await call(registry, "/registry/imports", { ...named, ...url }, "POST");
  if (isUrl(given)) return created;
  const isThere = await withArchive(given, (archive) => send(archive, created.id));
  if (!isThere) throw new Refusal(`There is no ${given}`);
  return created;
}

async function send(archive: string, id: string): Promise<void> {
  const file = await open(archive);
  const { size } = await file.stat();
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
  if (!response.ok)
    throw new Refusal(`The platform rejected the archive: ${await response.text()}`);
}

/** Show the progress of an import until it has ended. Both continue over a restart of the platform. */
async function followed(id: string): Promise<Import> {
  for (let missed = 0; ;) {
    const found = await seen(id).catch((error: unknown) => {
      missed += 1;
      if (!isUnreachable(error) || missed > MAX_MISSED_POLLS) throw error;
    });
    await wait(POLL_MS);
    if (found === undefined) continue;
    missed = 0;
    if (!values.json) show(found);
    if (hasEnded(found)) return found;
  }
}

function seen(id: string): Promise<Import> {
  return call(registry, `/registry/imports/${id}`);
}

/** Whether there was no response: `fetch` fails with a TypeError then. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");
}

function show({ total, counts }: Import): void {
  const done = total - counts.waiting;
  const filled = total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH);
  const bar = "█".repeat(filled).padEnd(BAR_WIDTH, "░");
  const line = `${bar} ${done} of ${total || "?"}: ${summaryOf(counts)}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
}

async function report({ id, state, error, counts }: Import): Promise<void> {
  if (process.stderr.isTTY) process.stderr.write("\n");
  const items = await unpublishedOf(id, (path) => call(registry, path));
  if (values.json) console.log(JSON.stringify({ id, state, error, counts, items }, null, 2));
  else {
    for (const { path, state: became, message } of items)
      console.log(`${path}: ${became}: ${message}`);
    console.log(`${id} ${state}: ${summaryOf(counts)}`);
  }
  if (error !== null) throw new Refusal(error);
}
