import "../scripts/help.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { call, deploy, endpointOf } from "../scripts/api.ts";
import { freePort } from "../scripts/local/ports.ts";
import { startPlatform } from "../scripts/platform.ts";
import { type Received, startReceiver } from "../scripts/receiver.ts";
import { numberOf, SentEvents, sendEvents } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    events: { type: "string", default: "20000" },
    connections: { type: "string", default: "8" },
  },
});
const rounds = Number(values.rounds);
const wanted = Number(values.events);

/** A round lasts at least this long, and ends at a random moment. */
const MIN_ROUND_MS = 300;
const SETTLE_TIMEOUT_MS = 300_000;

/** The time of one webhook's receiver for each response: with six requests at a time, events come faster. */
const SLOW_MS = 40;

/** One webhook gets only the events with ids that end like this. */
const SEVENTH = "7";

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-chaos-"));
const port = await freePort();
const receiver = await startReceiver(undefined, (path) => (path === "/slow" ? SLOW_MS : 0));
const url = await deployChain();
const sent = new SentEvents("chain", () => ({ url }));

for (let round = 1; round <= rounds; round += 1) await killUnderLoad(round);
const isSound = await report();
receiver.close();
if (isSound) await rm(stateDir, { recursive: true });
else console.error(`\nThe state remains in ${stateDir}`);
process.exitCode = isSound ? 0 : 1;

/** Three sources, each subscribed to the one before, a webhook at either end, one with a filter, and one that is slow. */
async function deployChain(): Promise<string> {
  const platform = await startPlatform({ stateDir, port });
  const subscribe = (emitter_id: string, listener_id: string, filter = "") =>
    call(platform, "/subscriptions", { emitter_id, listener_id, filter });
  const webhook = (path: string) =>
    call<{ id: string }>(platform, "/webhooks", { url: `${receiver.url}/${path}` });
  const head = await deploy(platform, await code("head"));
  const middle = await deploy(platform, await code("relay"), "middle");
  const tail = await deploy(platform, await code("relay"), "tail");
  await subscribe(head.id, middle.id);
  await subscribe(middle.id, tail.id);
  await subscribe(head.id, (await webhook("head")).id);
  const sevenths = await webhook("seventh");
  await subscribe(head.id, sevenths.id, `event.id.endsWith("${SEVENTH}")`);
  await subscribe(tail.id, (await webhook("tail")).id);
  await subscribe(head.id, (await webhook("slow")).id);
  await platform.kill();
  return endpointOf(head);
}

function code(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, `components/${name}.js`), "utf8");
}

async function killUnderLoad(round: number): Promise<void> {
  const platform = await startPlatform({ stateDir, port });
  const end = new AbortController();
  const connections = Number(values.connections);
  const traffic = sendEvents(sent, { connections, until: end.signal });
  const startedAtMs = performance.now();
  const isShort = () => sent.acknowledged.size < (wanted * round) / rounds;
  const minMs = MIN_ROUND_MS * (1 + Math.random());
  while (isShort() || performance.now() - startedAtMs < minMs)
    await new Promise((done) => setTimeout(done, 5));
  await platform.kill();
  end.abort();
  await traffic;
  console.log(`kill ${round}; acknowledged so far: ${sent.acknowledged.size}`);
}

/** Wait for all deliveries, and count them. */
async function report(): Promise<boolean> {
  const platform = await startPlatform({ stateDir, port });
  const ends = ["/head", "/seventh", "/tail", "/slow"];
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  while (ends.some((path) => lostAt(path).length > 0) && performance.now() < deadline)
    await new Promise((done) => setTimeout(done, 500));
  await platform.stop();
  console.log(
    "\n| webhook at | acknowledged | received | lost | twice inside | sent again | out of order |",
  );
  console.log("|---|---|---|---|---|---|---|");
  return ends.map(printEnd).every(Boolean);
}

function printEnd(path: string): boolean {
  const lost = lostAt(path);
  const own = receivedAt(path);
  const webhookIds = new Map<string, Set<string>>();
  for (const { id, webhookId } of own) {
    const ids = webhookIds.get(id) ?? new Set();
    webhookIds.set(id, ids.add(webhookId));
  }
  // One event with two emission ids: a source has run and emitted it twice.
  const twice = [...webhookIds.values()].filter(({ size }) => size > 1).length;
  const again = own.length - new Set(own.map(({ webhookId }) => webhookId)).size;
  const cells = [path.slice(1), wantedAt(path).length, webhookIds.size, lost.length, twice, again];
  console.log(`| ${[...cells, disorder(own)].join(" | ")} |`);
  const isUnfiltered = own.some(({ id }) => !isWantedAt(path, id));
  if (isUnfiltered) console.error(`The filter of ${path} passed other events`);
  return lost.length === 0 && twice === 0 && !isUnfiltered;
}

/** The number of events that arrived before one that was sent earlier. */
function disorder(own: readonly { id: string }[]): number {
  let latest = -1;
  let count = 0;
  for (const id of new Set(own.map((one) => one.id))) {
    const number = numberOf(id);
    if (number < latest) count += 1;
    latest = Math.max(latest, number);
  }
  return count;
}

function lostAt(path: string): string[] {
  const ids = new Set(receivedAt(path).map(({ id }) => id));
  return wantedAt(path).filter((id) => !ids.has(id));
}

function wantedAt(path: string): string[] {
  return [...sent.acknowledged].filter((id) => isWantedAt(path, id));
}

function isWantedAt(path: string, id: string): boolean {
  return path !== "/seventh" || id.endsWith(SEVENTH);
}

function receivedAt(path: string): { id: string; webhookId: string }[] {
  return receiver.received.filter((one) => one.path === path).map(idsOf);
}

function idsOf({ body, webhookId }: Received): { id: string; webhookId: string } {
  const { id }: { id: string } = JSON.parse(body);
  return { id, webhookId };
}
