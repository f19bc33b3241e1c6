import "../scripts/help.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

import { call } from "../scripts/api.ts";
import { freePort } from "../scripts/local/ports.ts";
import { startPlatform } from "../scripts/platform.ts";
import { connectClient } from "./agents/client.ts";
import { Feed, startUpstream } from "./agents/upstream.ts";

const { values } = parseArgs({
  options: {
    components: { type: "string", default: "50" },
    // The number of items of each component, and of all new ones per second.
    events: { type: "string", default: "1000" },
    rate: { type: "string", default: "150" },
    kills: { type: "string", default: "20" },
  },
});
const kills = Number(values.kills);
const total = Number(values.components) * Number(values.events);

/** Two kinds of components poll, the others have a webhook. */
const KINDS = ["cursor", "recent", "pushed", "notified"];

const TICK_MS = 100;

/** Maximum delay of a kill after its share of events, so that it hits any phase of the work. */
const MAX_DELAY_MS = 2000;

/** The number of subscriptions that the client refreshes after each restart. */
const REFRESHED = 10;

/** The rest of the work is over if no further event arrives for this time. */
const SETTLE_TIMEOUT_MS = 90_000;

const feeds = Array.from({ length: Number(values.components) }, (_, number) => newFeed(number));
const stateDir = await mkdtemp(join(tmpdir(), "wellspring-chaos-"));
const port = await freePort();
const start = () => startPlatform({ stateDir, port });
const upstream = await startUpstream(feeds);

let platform = await start();
for (const [number, feed] of feeds.entries()) {
  const component_code = await codeOf(kindOf(number), feed.name);
  await call(platform, "/components", { component_code });
}
const client = await connectClient(platform);
const growth = setInterval(grow, TICK_MS);
const open = new Set<Feed>();
const startedAtMs = performance.now();
for (const feed of feeds) {
  await subscribe(feed);
  open.add(feed);
}
console.log(`${feeds.length} subscriptions after ${seconds(startedAtMs)} s`);
for (let kill = 1; kill <= kills; kill += 1) await killUnderLoad(kill);
await Promise.all(feeds.map(subscribe));
await settled();
const isSound = await report();
clearInterval(growth);
upstream.close();
if (isSound) await rm(stateDir, { recursive: true });
else console.error(`\nThe state remains in ${stateDir}`);
process.exitCode = isSound ? 0 : 1;

function kindOf(number: number): string {
  return KINDS[number % KINDS.length] ?? "";
}

function newFeed(number: number): Feed {
  const kind = kindOf(number);
  const name = `agent-${kind}-${number}`;
  return new Feed({ name, total: Number(values.events), isNotifying: kind === "notified" });
}

/** The code of a component with a key of its own. */
async function codeOf(kind: string, key: string): Promise<string> {
  const file = join(import.meta.dirname, `components/agent-${kind}.js`);
  return (await readFile(file, "utf8")).replace(`key: "agent-${kind}"`, `key: "${key}"`);
}

/** Add the items of one tick, to a random feed each. */
function grow(): void {
  const growing = [...open];
  const wanted = Math.ceil((Number(values.rate) * TICK_MS) / 1000);
  for (let added = 0; added < wanted && growing.length > 0;) {
    const [feed] = growing.splice(Math.floor(Math.random() * growing.length), 1);
    if (!feed?.release(client.eventsOf(feed.name).byItem.size)) continue;
    growing.push(feed);
    added += 1;
  }
}

function subscribe(feed: Feed): Promise<void> {
  return client.subscribe(feed.name, { upstream: upstream.urlOf(feed) });
}

function received(): number {
  return feeds.reduce((sum, { name }) => sum + client.eventsOf(name).byItem.size, 0);
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

async function killUnderLoad(kill: number): Promise<void> {
  const due = (total * (kill - Math.random())) / (kills + 1);
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  while (received() < due && performance.now() < deadline) await wait(5);
  await wait(Math.random() * MAX_DELAY_MS);
  await platform.kill();
  platform = await start();
  console.log(`kill ${kill} after ${seconds(startedAtMs)} s; received so far: ${received()}`);
  // The next kill may hit these: the client repeats those that fail.
  const some = feeds.toSorted(() => Math.random() - 0.5).slice(0, REFRESHED);
  for (const feed of some) void subscribe(feed);
}

async function settled(): Promise<void> {
  let deadline = performance.now() + SETTLE_TIMEOUT_MS;
  for (let before = -1; before < total && performance.now() < deadline; await wait(100)) {
    const now = received();
    if (now > before) deadline = performance.now() + SETTLE_TIMEOUT_MS;
    before = now;
  }
  // An event in flight may arrive once more.
  await wait(MAX_DELAY_MS);
}

async function report(): Promise<boolean> {
  console.log(`\n${kills} kills in ${seconds(startedAtMs)} s\n`);
  console.log("| components | of them | items | received | lost | twice inside | sent again |");
  console.log("|---|---|---|---|---|---|---|");
  const areWhole = KINDS.map((kind, index) =>
    printKind(
      kind,
      feeds.filter((_, number) => number % KINDS.length === index),
    ),
  );
  for (const { name } of feeds) await client.unsubscribe(name);
  const sources = await call<unknown[]>(platform, "/users/me/sources");
  await client.close();
  await platform.stop();
  for (const one of new Set(client.rejected)) console.error(`The callback rejected ${one}`);
  if (sources.length > 0) console.error(`${sources.length} sources have no subscription`);
  return areWhole.every(Boolean) && client.rejected.length === 0 && sources.length === 0;
}

function printKind(kind: string, own: readonly Feed[]): boolean {
  const lost: string[] = [];
  const twice: string[] = [];
  let [items, found, again] = [0, 0, 0];
  for (const feed of own) {
    const { byItem, resent } = client.eventsOf(feed.name);
    const ids = feed.ids();
    lost.push(...ids.filter((id) => !byItem.has(id)));
    // One item with two event ids: a source has run and emitted it twice.
    twice.push(...ids.filter((id) => (byItem.get(id)?.size ?? 0) > 1));
    [items, found, again] = [items + ids.length, found + byItem.size, again + resent];
  }
  console.log(
    `| ${[kind, own.length, items, found, lost.length, twice.length, again].join(" | ")} |`,
  );
  for (const [what, ids] of Object.entries({ lost, twice }))
    if (ids.length > 0) console.error(`${what}: ${ids.slice(0, 10).join(", ")}`);
  return (
    lost.length === 0 && twice.length === 0 && found === items && own.every((one) => one.isComplete)
  );
}
