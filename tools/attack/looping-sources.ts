import { setTimeout as wait } from "node:timers/promises";

import { placeOf } from "#sandbox/processes/place.ts";

import {
  type Attack,
  deploy,
  endpoint,
  hold,
  holdWithin,
  newTenant,
  operate,
  send,
  type Tenant,
  type World,
} from "./world.ts";

/** Twice the number of sources that once stopped the runs of all tenants. */
const SOURCES = 24;

/** The rounds of requests, one to each source, and the pause between two of them. */
const ROUNDS = 10;
const ROUND_MS = 2500;

/** The interval of requests to the other tenant's endpoint. */
const PING_MS = 250;

/** Within this time after the flood the other tenant's endpoint responds as usual: this many times in a row within a second. */
const RECOVERY_MS = 30_000;
const USUAL_MS = 1000;
const USUAL_COUNT = 10;

const RESPONDING = endpoint(`this.http.respond({ status: 200, body: "ok" })`, { isCustom: true });

function loops(name: string, body: string): Attack {
  return {
    name: `${SOURCES} sources of one owner that ${name} fail no call of another owner`,
    async run(world) {
      const eve = await newTenant(world);
      const { url } = await deploy(await newNeighbour(world, eve), RESPONDING);
      const urls: string[] = [];
      while (urls.length < SOURCES) urls.push((await deploy(eve, endpoint(body))).url);
      const ping = () => send(url, { method: "POST", body: {} });
      const end = new AbortController();
      const pings = repeated(ping, end.signal);
      try {
        await flood(urls);
        await holdWithin(RECOVERY_MS, usually(ping), "Another tenant's endpoint remains slow");
      } finally {
        end.abort();
      }
      const failed = (await pings).filter((status) => status !== 200);
      hold(failed.length === 0, `Calls of another tenant failed: ${failed.join(", ")}`);
    },
  };
}

/** Checks whether requests respond as usual, each time with one more. */
function usually(ping: () => Promise<unknown>): () => Promise<boolean> {
  let usual = 0;
  return async () => {
    const startMs = performance.now();
    await ping();
    usual = performance.now() - startMs < USUAL_MS ? usual + 1 : 0;
    return usual >= USUAL_COUNT;
  };
}

/** Another tenant, whose code runs in the same process. */
async function newNeighbour(world: World, { id }: Tenant): Promise<Tenant> {
  const { text } = await operate(world, "GET", "/metrics");
  const { length: places } =
    text.match(/^wellspring_sandbox_starts_total\{process="\d+"\}/gm) ?? [];
  hold(places, "There are no sandbox processes");
  for (;;) {
    const other = await newTenant(world);
    if (placeOf(other.id, places) === placeOf(id, places)) return other;
  }
}

/** Send requests to all sources in rounds. They fail, or are stored; no response is awaited. */
async function flood(urls: readonly string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const url of urls) send(url, { method: "POST", body: {} }).catch(() => undefined);
    await wait(ROUND_MS);
  }
}

/** Send requests at intervals until the signal; resolves to their statuses, 0 for one without a response. */
async function repeated(
  ping: () => Promise<{ status: number }>,
  until: AbortSignal,
): Promise<number[]> {
  const pings: Promise<number>[] = [];
  while (!until.aborted) {
    pings.push(
      ping().then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await wait(PING_MS);
  }
  return Promise.all(pings);
}

export const loopingSources: Attack[] = [loops("loop", "for (;;);")];
