import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { createGzip } from "node:zlib";

import { packTar } from "modern-tar/fs";

import type { Api } from "../api.ts";
import { Failure, misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";
import { during, type Progress } from "../terminal/progress.ts";

type State = "waiting" | "published" | "unchanged" | "refused" | "failed";

type Import = {
  id: string;
  state: "awaiting_archive" | "running" | "ended" | "failed";
  error: string | null;
  total: number;
  counts: Record<State, number>;
};

type Item = { number: number; path: string; state: State; message: string | null };

/** What cannot be code, and would only be sent. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|dist)(?:\/|$)/;
const SENT = /(?:\.(?:[cm]?[jt]s|json)|(?:^|\/)(?:licen[cs]e|copying)[^/]*)$/i;

const POLL_MS = 1000;
const PAGE = 100;

/** Publish all components of a folder, a tarball or an archive's URL, and show how far that is. */
export async function importCollection(given: string, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const ended = await during("Sending the collection", async (shown) =>
    followed(api, await begun(api, given), shown),
  );
  const items = [
    ...(await itemsOf(api, ended.id, "refused")),
    ...(await itemsOf(api, ended.id, "failed")),
  ];
  if (options.json) json({ ...ended, items });
  else {
    for (const { path, state, message } of items) line(`${path}: ${state}: ${message}`);
    line(`${ended.id} ${ended.state}: ${summary(ended)}`);
  }
  if (ended.error !== null) throw new Failure(ended.error);
  if (items.length > 0) throw new Failure(`${items.length} components were not published`);
}

async function begun(api: Api, given: string): Promise<string> {
  if (/^https?:\/\//.test(given)) return (await created(api, { archive_url: given })).id;
  const found = await stat(given).catch(() => undefined);
  if (!found) throw misuse(`There is no ${given}`, "name a folder, a tarball or a URL");
  const { id } = await created(api, {});
  if (found.isFile()) await sent(api, id, given);
  else await sentFolder(api, id, resolve(given));
  return id;
}

function created(api: Api, body: object): Promise<Import> {
  return api.data("POST", "/registry/imports", { body });
}

async function sentFolder(api: Api, id: string, path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "import-"));
  try {
    const archive = join(folder, "archive.tgz");
    const packed = packTar(path, {
      filter: (file, entry) => !LEFT_OUT.test(file) && (entry.isDirectory() || SENT.test(file)),
    });
    await pipeline(packed, createGzip(), createWriteStream(archive));
    await sent(api, id, archive);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function sent(api: Api, id: string, archive: string): Promise<void> {
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    await api.upload(`/registry/imports/${id}/archive`, file.createReadStream(), {
      "content-type": "application/gzip",
      "content-length": String(size),
    });
  } finally {
    await file.close();
  }
}

async function followed(api: Api, id: string, shown: Progress): Promise<Import> {
  for (;;) {
    const found = await api.data<Import>("GET", `/registry/imports/${id}`);
    if (found.state === "ended" || found.state === "failed") return found;
    shown.say(`Importing: ${summary(found)}`);
    await wait(POLL_MS);
  }
}

function summary({ total, counts }: Import): string {
  const { published, unchanged, refused, failed } = counts;
  return `${published} published, ${unchanged} unchanged, ${refused} refused, ${failed} failed of ${total}`;
}

/** All components of an import that are in a state, page by page. */
async function itemsOf(api: Api, id: string, state: State): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = -1; ; after = items.at(-1)?.number ?? after) {
    const query = { state, limit: PAGE, after };
    const path = `/registry/imports/${id}/components`;
    const page = await api.data<Item[]>("GET", path, { query });
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}
