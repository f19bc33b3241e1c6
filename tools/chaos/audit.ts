import { call, type DeployedSource, type Summary } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import type { SentEvents } from "./traffic.ts";

const SETTLE_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 500;

/** Usage is to be seen within 5 s; a machine under load gets twice that. */
const REPORT_TIMEOUT_MS = 10_000;

/** The outcome of the events that were sent to one source. */
export type Audit = {
  acknowledged: number;
  /** Different events that it emitted. */
  found: number;
  /** Acknowledged, yet never emitted. */
  lost: string[];
  /** Emitted once more than they should have been. */
  duplicates: number;
  /** Numbers that a counting source left out or gave twice. */
  miscounted: number;
};

/**
 * Read back all that a source emitted, once everything that it acknowledged is there, or no further event arrives: a source that was
 * held up in a process alone has its runs one at a time, and may have thousands to go.
 */
export async function audit(
  platform: RunningPlatform,
  source: DeployedSource,
  ledger: SentEvents,
): Promise<Audit> {
  let deadline = Date.now() + SETTLE_TIMEOUT_MS;
  let before = 0;
  for (;;) {
    const events = await everyEvent(platform, source, ledger.channels);
    const found = new Set(events.map(({ event }) => String(event["id"])));
    if (found.size > before) deadline = Date.now() + SETTLE_TIMEOUT_MS;
    before = found.size;
    const lost = [...ledger.acknowledged].filter((id) => !found.has(id));
    if (lost.length === 0 || Date.now() > deadline) {
      const duplicates = events.length - found.size;
      const acknowledged = ledger.acknowledged.size;
      return { acknowledged, found: found.size, lost, duplicates, miscounted: miscounts(events) };
    }
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

/** How many runs the user of a platform was charged for today, once they are as many as there were or time is up. */
export async function chargedRuns(platform: RunningPlatform, runs: number): Promise<number> {
  const deadline = Date.now() + REPORT_TIMEOUT_MS;
  for (;;) {
    const { daily_invocations_used: charged } = await call<{ daily_invocations_used: number }>(
      platform,
      "/users/me",
    );
    if (charged === runs || Date.now() > deadline) return charged;
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

async function everyEvent(
  platform: RunningPlatform,
  { id }: DeployedSource,
  channels: Iterable<string>,
): Promise<Summary[]> {
  const events: Summary[] = [];
  for (const channel of channels) {
    const path = `/sources/${id}/event_summaries?expand=event&limit=100&event_name=${channel}`;
    events.push(...(await call<Summary[]>(platform, path)));
  }
  return events;
}

/** A counting source numbers its events from 1 up: how many numbers are missing or there too often. */
function miscounts(events: readonly Summary[]): number {
  const counts = events.map(({ event }) => event["count"]).filter((count) => count !== undefined);
  const distinct = new Set(counts);
  const last = counts.reduce<number>((most, count) => Math.max(most, Number(count)), 0);
  return last - distinct.size + (counts.length - distinct.size);
}
