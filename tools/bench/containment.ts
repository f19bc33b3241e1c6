import { setTimeout as wait } from "node:timers/promises";

import {
  call,
  type Caller,
  type DeployedSource,
  deploy,
  endpointOf,
  type Summary,
} from "../scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { percentile } from "./statistics.ts";
import { withFolder } from "./targets.ts";
import { otherUser, userApart } from "./tenants.ts";

/** An attack by a source on every event, and its code. */
const ATTACKS = {
  "no attack": `run() {}`,
  "endless loop": `run() { for (;;); }`,
  "memory bomb": `run() { const all = []; for (;;) all.push(new Array(1e5).fill(0).map((_, at) => ({ at }))); }`,
  // Saved repeatedly, because it never becomes a source.
  "loop in the module": undefined,
  "unresolved promises": `run() { return Promise.race([...Array(10_000)].map(() => new Promise(() => {})).concat([new Promise((done) => setTimeout(done, 1000))])); }`,
};
type Attack = keyof typeof ATTACKS;

const sourceOf = (body: string): string =>
  `export default { name: "Source", version: "0.0.1", props: { http: "$.interface.http" }, ${body} };`;

const VICTIM = sourceOf(
  `run({ body }) { this.$emit({ ...body, atMs: Date.now() }, { name: body.channel }); }`,
);

const VICTIM_INTERVAL_MS = 10;
const ATTACK_INTERVAL_MS = 200;
const WARM_UP_MS = 5000;
const SETTLE_TIMEOUT_MS = 60_000;
const EVENTS_PER_CHANNEL = 90;

/** The results of one tenant while another attacks: lost and duplicate events, and milliseconds to the commit. */
type Fare = {
  sent: number;
  lost: number;
  twice: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
};

/**
 * Print one tenant's results while another tenant's code attacks, for this many seconds per attack. `counts`: the numbers
 * of sandbox processes; `name`: a part of the attacks' names.
 */
export async function measureContainment(
  counts: readonly number[],
  name: string,
  seconds: number,
): Promise<void> {
  console.log("\n| sandboxes | attack | events | lost | twice | p50 ms | p99 ms | slowest ms |");
  console.log("|---|---|---|---|---|---|---|---|");
  const attacks = Object.keys(ATTACKS).filter((attack) => attack.includes(name));
  for (const sandboxes of counts)
    for (const attack of attacks)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are its keys.
      await measure(sandboxes, attack as Attack, seconds);
}

async function measure(sandboxes: number, attack: Attack, seconds: number): Promise<void> {
  const fare = await withFolder(async (stateDir) => {
    const platform = await startPlatform({ stateDir, variables: { SANDBOXES: String(sandboxes) } });
    try {
      return await underAttack(platform, { sandboxes, attack, seconds });
    } finally {
      await platform.stop();
    }
  });
  const { sent, lost, twice, p50Ms, p99Ms, maxMs } = fare;
  console.log(`| ${[sandboxes, attack, sent, lost, twice, p50Ms, p99Ms, maxMs].join(" | ")} |`);
}

async function underAttack(
  platform: RunningPlatform,
  { sandboxes, attack, seconds }: { sandboxes: number; attack: Attack; seconds: number },
): Promise<Fare> {
  const victim = await deploy(platform, VICTIM);
  const attacker = await (sandboxes === 1 ? otherUser(platform) : userApart(platform, sandboxes));
  const strike = await strikeOf(attacker, ATTACKS[attack]);
  const end = new AbortController();
  const attacking = repeat(ATTACK_INTERVAL_MS, end.signal, strike);
  await wait(WARM_UP_MS);
  let sent = 0;
  const sending = repeat(VICTIM_INTERVAL_MS, end.signal, () => {
    const channel = `c${Math.floor(sent / EVENTS_PER_CHANNEL)}`;
    return post(victim, { number: sent++, channel, sentMs: Date.now() });
  });
  await wait(seconds * 1000);
  end.abort();
  await Promise.all([attacking, sending]);
  return fareOf(await everyEvent(platform, victim, sent), sent);
}

/** The attack on every event. */
async function strikeOf(attacker: Caller, body: string | undefined): Promise<() => Promise<void>> {
  if (body === undefined) {
    let turn = 0;
    const save = (): Promise<unknown> =>
      call(attacker, "/components", { component_code: `for (;;); // ${(turn += 1)}` });
    return () => save().then(nothing, nothing);
  }
  const hostile = await deploy(attacker, sourceOf(body));
  return () => post(hostile, {});
}

const nothing = (): void => {};

async function repeat(
  everyMs: number,
  until: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const startedMs = performance.now();
  for (let turn = 1; !until.aborted; turn += 1) {
    const one = work().finally(() => pending.delete(one));
    pending.add(one);
    await wait(Math.max(0, startedMs + turn * everyMs - performance.now()));
  }
  await Promise.all(pending);
}

async function post(source: DeployedSource, body: object): Promise<void> {
  const response = await fetch(endpointOf(source), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
}

async function everyEvent(
  platform: RunningPlatform,
  { id }: DeployedSource,
  sent: number,
): Promise<Summary[]> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const events: Summary[] = [];
    for (let channel = 0; channel * EVENTS_PER_CHANNEL < sent; channel += 1) {
      const path = `/sources/${id}/event_summaries?expand=event&limit=100&event_name=c${channel}`;
      events.push(...(await call<Summary[]>(platform, path)));
    }
    if (events.length >= sent || Date.now() > deadline) return events;
    await wait(500);
  }
}

function fareOf(events: readonly Summary[], sent: number): Fare {
  const numbers = new Set(events.map(({ event }) => event["number"]));
  const times = events
    .map(({ id, event }) => Number(id.split("-")[0]) - Number(event["sentMs"]))
    .toSorted((a, b) => a - b);
  return {
    sent,
    lost: sent - numbers.size,
    twice: events.length - numbers.size,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    maxMs: times.at(-1) ?? Number.NaN,
  };
}
