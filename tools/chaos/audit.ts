import { call, type DeployedSource, type Summary } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import type { SourceEvents, Subject } from "./subject.ts";

const SETTLE_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 500;

/** Usage must be visible within 5 s; a machine under load gets twice that. */
const REPORT_TIMEOUT_MS = 10_000;

/** The outcome of the events sent to a component. */
export type Audit = {
  acknowledged: number;
  /** Different events that the source emitted. */
  found: number;
  /** Acknowledged, yet never emitted. */
  lost: string[];
  /** Emitted once more than expected. */
  duplicates: number;
  /** Numbers that a counting source skipped or used twice. */
  miscounted: number;
};

/** Read back all events that the sources of a component emitted, and print a row of the table. */
export async function audit(platform: RunningPlatform, subject: Subject): Promise<Audit> {
  const audits: Audit[] = [];
  for (const sent of subject.bySource()) audits.push(await auditSource(platform, sent));
  const total = (count: (one: Audit) => number) => audits.reduce((sum, one) => sum + count(one), 0);
  const outcome = {
    acknowledged: total((one) => one.acknowledged),
    found: total((one) => one.found),
    lost: audits.flatMap((one) => one.lost),
    duplicates: total((one) => one.duplicates),
    miscounted: total((one) => one.miscounted),
  };
  const { acknowledged, found, lost, duplicates, miscounted } = outcome;
  const cells = [subject.name, acknowledged, found, lost.length, duplicates, miscounted];
  console.log(`| ${cells.join(" | ")} |`);
  if (lost.length > 0) console.error(`lost: ${lost.slice(0, 10).join(", ")}`);
  return outcome;
}

/** Print the head of the table. */
export function printHead(): void {
  console.log("\n| component | acknowledged | found | lost | duplicates | miscounted |");
  console.log("|---|---|---|---|---|---|");
}

/**
 * Read a source's events once it emitted every acknowledged one, or no further event arrives: a source that was delayed
 * in a separate process has its runs one at a time, and may have thousands to go.
 */
async function auditSource(platform: RunningPlatform, sent: SourceEvents): Promise<Audit> {
  const { source, acknowledged, channels } = sent;
  let deadline = Date.now() + SETTLE_TIMEOUT_MS;
  const found = new Set<string>();
  for (let unread = channels; unread.size > 0;) {
    const before = found.size;
    for (const id of idsOf(await eventsOf(platform, source, unread))) found.add(id);
    if (found.size > before) deadline = Date.now() + SETTLE_TIMEOUT_MS;
    if (Date.now() > deadline) break;
    // Only the channels that lack events are read again.
    unread = new Set(lostOf(acknowledged, found).map((id) => sent.channelOf(id)));
    if (unread.size > 0) await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
  // All of them once more: the last runs may have emitted an event twice.
  const events = await eventsOf(platform, source, channels);
  const ids = new Set(idsOf(events));
  return {
    acknowledged: acknowledged.length,
    found: ids.size,
    lost: lostOf(acknowledged, ids),
    duplicates: events.length - ids.size,
    miscounted: miscounts(events),
  };
}

function lostOf(acknowledged: readonly string[], found: ReadonlySet<string>): string[] {
  return acknowledged.filter((id) => !found.has(id));
}

function idsOf(events: readonly Summary[]): string[] {
  return events.map(({ event }) => String(event["id"]));
}

/** The number of runs charged today to a platform's user, once it reaches the expected number or the wait times out. */
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

async function eventsOf(
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

/** A counting source numbers its events from 1 up: the count of missing and duplicate numbers. */
function miscounts(events: readonly Summary[]): number {
  const counts = events.map(({ event }) => event["count"]).filter((count) => count !== undefined);
  const distinct = new Set(counts);
  const last = counts.reduce<number>((most, count) => Math.max(most, Number(count)), 0);
  return last - distinct.size + (counts.length - distinct.size);
}
