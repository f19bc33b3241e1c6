import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import {
  type ApiResponse,
  type Attack,
  deploy,
  endpoint,
  eventsOf,
  hold,
  holdsService,
  newTenant,
  operate,
  send,
} from "./world.ts";

/** Maximum named channels of an emitter. */
const MAX_CHANNELS = 50;

/** Runs of 16 events of 900 KB each: three times what a webhook and its source store. */
const LARGE_RUNS = 60;
const MAX_STORED_BYTES = 600e6;

export const storage: Attack[] = [
  {
    name: "ever new channels do not keep a hundred events each",
    async run(world) {
      const eve = await newTenant(world);
      const source = await deploy(
        eve,
        endpoint("this.$emit({ n: event.body.n }, { name: event.body.name })"),
      );
      const channels = Array.from({ length: MAX_CHANNELS + 10 }, (_, n) => `channel-${n}`);
      for (const name of channels) {
        const { status } = await send(source.url, { method: "POST", body: { name } });
        hold(status === 200, `The endpoint returned ${status}`);
      }
      const errors = await eventsOf(eve, source.id, "&event_name=$errors");
      const stored = await Promise.all(
        channels.map((name) => eventsOf(eve, source.id, `&event_name=${name}`)),
      );
      const count = stored.filter((events) => events.length > 0).length;
      hold(count === MAX_CHANNELS, `${count} channels have events`);
      hold(errors.length === 10, `${errors.length} refused events are on record`);
    },
  },
  {
    name: "neither a history nor a dead webhook fills the disk",
    async run(world) {
      const eve = await newTenant(world);
      const source = await deploy(
        eve,
        endpoint(
          `for (let n = 0; n < 16; n += 1)
             this.$emit("x".repeat(900_000), { name: "channel-" + ((event.body.n * 16 + n) % 50) });`,
        ),
      );
      const webhook = await eve.call("POST", "/webhooks", { url: "http://127.0.0.1:9/" });
      const link = { emitter_id: source.id, listener_id: webhook.data.id };
      const linked = await eve.call("POST", "/subscriptions", link);
      hold(linked.status === 200, `The subscription got ${linked.status} ${linked.text}`);
      const before = await bytesIn(world.stateDir);
      const numbers = Array.from({ length: LARGE_RUNS }, (_, n) => n).values();
      const sendAll = async (): Promise<void> => {
        for (const n of numbers) {
          const { status } = await send(source.url, { method: "POST", body: { n } });
          hold(status === 200 || status === 429, `The endpoint returned ${status}`);
        }
      };
      await Promise.all(Array.from({ length: 4 }, sendAll));
      const written = (await bytesIn(world.stateDir)) - before;
      const megabytes = Math.round(written / 1e6);
      await eve.call("DELETE", `/webhooks/${webhook.data.id}`);
      await eve.call("DELETE", `/sources/${source.id}`);
      hold(written < MAX_STORED_BYTES, `One source and its webhook store ${megabytes} MB`);
      await holdsService(world);
    },
  },
  {
    name: "a storage quota stops a tenant whose many sources keep a little each",
    async run(world) {
      const eve = await newTenant(world);
      const quota = 20e6;
      await operate(world, "PUT", `/users/${eve.id}/quotas`, { storage_quota: quota });
      const code = endpoint(`for (let n = 0; n < 4; n += 1) this.$emit("x".repeat(900_000));`);
      let refused: ApiResponse | undefined;
      for (let n = 0; n < 20 && !refused; n += 1) {
        const made = await eve.call("POST", "/sources", { component_code: code });
        if (made.status === 429) refused = made;
        else {
          const { endpoint_url: url } = made.data.configured_props.http;
          const sent = await send(url, { method: "POST", body: {} });
          if (sent.status === 429) refused = sent;
        }
      }
      const isNamed = refused?.text.includes("storage quota is used up");
      hold(isNamed, `20 sources with 72 MB were accepted: ${refused?.text.slice(0, 200)}`);
      const { text } = await eve.call("GET", "/usage");
      const stored: number = JSON.parse(text).stored_bytes;
      hold(stored < quota * 1.5, `${Math.round(stored / 1e6)} MB are stored of 20 MB`);
    },
  },
];

/** The size of all files in a folder that is written at the same time. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(folder, name)).then(
        (entry) => (entry.isFile() ? entry.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
