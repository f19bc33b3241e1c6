import { randomUUID } from "node:crypto";

import { orderBody, post } from "../load.ts";
import { added } from "./flush.ts";
import type { CountingPlatform } from "./platform.ts";
import type { Counts } from "./tally.ts";

/** A path of events through the platform, at one rate, and the usage of each event. */
export type Way = {
  path: string;
  rate: string;
  /** The event rate of one source for which the counts hold. */
  perSecond: number;
  events: number;
  /** Without `perFlush`: the write of the usage of one source or workflow to D1, once in some minutes. */
  perEvent: Counts;
  perFlush: Counts;
  cpuMs: number | undefined;
};

/** An alarm may fire thirty seconds after an event; of the work of an event, only the owner's write to D1 comes later. */
const QUIET_MS = 32_000;
const POLL_MS = 2000;

/** Deployments and first events are reported meanwhile. */
const REPORTED_MS = 6000;

/** Count the usage of work, which resolves to a function that returns the number of events once all of them ended. */
export async function counted(
  platform: CountingPlatform,
  { emitters, ...name }: Pick<Way, "path" | "perSecond" | "rate"> & { emitters: number },
  work: () => Promise<() => Promise<number>>,
): Promise<Way> {
  const before = await readings(platform);
  const eventsOf = await work();
  const after = await readings(platform);
  const flushed = await platform.flush();
  const events = await eventsOf();
  const perEvent = shares(added(after.counts, before.counts, -1), events);
  // The alarm of the write was set before the counted events.
  const writing = added(added(flushed, after.counts, -1), { "owner.rowsWritten": emitters }, 1);
  const cpuMs = platform.busyCpuMs(before, after);
  console.error(`counted: ${name.path}, ${name.rate}`);
  return {
    ...name,
    events,
    perEvent,
    perFlush: shares(writing, emitters),
    cpuMs: cpuMs === undefined ? undefined : cpuMs / events,
  };
}

function shares(counts: Counts, number: number): Counts {
  return added({}, counts, 1 / number);
}

/** Write all usage to D1, and send one event to each URL: the first report after a write sets the owner's alarm. */
export async function primed(platform: CountingPlatform, urls: readonly string[]): Promise<void> {
  await pause(REPORTED_MS);
  await platform.flush();
  for (const url of urls) await post(url, orderBody(randomUUID()));
  await settled(platform);
}

async function readings(platform: CountingPlatform) {
  return { counts: await platform.counts(), ...(await platform.cpu()) };
}

/** Wait until the counts stay unchanged. */
export async function settled({ counts }: CountingPlatform): Promise<void> {
  let last = "";
  for (let unchangedMs = 0; unchangedMs < QUIET_MS; unchangedMs += POLL_MS) {
    const now = JSON.stringify(await counts());
    if (now !== last) unchangedMs = 0;
    last = now;
    await pause(POLL_MS);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
