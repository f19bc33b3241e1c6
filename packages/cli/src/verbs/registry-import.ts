import { open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import type { Api } from "../api.ts";
import {
  hasEnded,
  type Import,
  isUrl,
  POLL_MS,
  summaryOf,
  unpublishedOf,
  withArchive,
} from "../collections.ts";
import { Failure, misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";
import { during, type Progress } from "../terminal/progress.ts";

/** Publish all components of a folder, a tarball or an archive's URL, and show the progress. */
export async function importCollection(given: string, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const ended = await during("Sending the collection", async (shown) =>
    followed(api, await begun(api, given), shown),
  );
  const items = await unpublishedOf(ended.id, (path) => api.data("GET", path));
  if (options.json) json({ ...ended, items });
  else {
    for (const { path, state, message } of items) line(`${path}: ${state}: ${message}`);
    line(`${ended.id} ${ended.state}: ${summaryOf(ended.counts)} of ${ended.total}`);
  }
  if (ended.error !== null) throw new Failure(ended.error);
  if (items.length > 0) throw new Failure(`Components that were not published: ${items.length}`);
}

async function begun(api: Api, given: string): Promise<string> {
  if (isUrl(given)) return (await created(api, { archive_url: given })).id;
  let id = "";
  const isThere = await withArchive(given, async (archive) => {
    ({ id } = await created(api, {}));
    await sent(api, id, archive);
  });
  if (!isThere) throw misuse(`There is no ${given}`, "name a folder, a tarball or a URL");
  return id;
}

function created(api: Api, body: object): Promise<Import> {
  return api.data("POST", "/registry/imports", { body });
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
    if (hasEnded(found)) return found;
    shown.show(`Importing: ${summaryOf(found.counts)} of ${found.total}`);
    await wait(POLL_MS);
  }
}
