import type { Position } from "#domain/event-ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { Alarm, earliest } from "#durable-objects/shared/alarm.ts";
import { Meter, type MeterDeps } from "#durable-objects/shared/meter.ts";
import { Timers } from "#durable-objects/shared/timers.ts";

import { AccountWatch, type GivenAccounts, type LostAccounts } from "./account-watch.ts";
import { Alerts, type ReportAlerts } from "./alerts.ts";
import { EventHistory } from "./history.ts";
import { InboxDedupe } from "./inbox-dedupe.ts";
import { Outbox, REDELIVERY_DELAY_MS } from "./outbox.ts";
import { Publisher } from "./publisher.ts";
import { Streams } from "./streams.ts";

type Deps<Usage> = {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  emitterId: string;
  usage: Usage;
  /** Undefined while nothing is deployed. */
  identity: MeterDeps["identity"];
  report: MeterDeps["report"];
  reportAlerts: ReportAlerts;
  /** Its configured accounts; undefined while nothing is deployed. */
  accounts: () => GivenAccounts | undefined;
  lostAccounts: LostAccounts;
  /** The number of its shard; absent: its own object. */
  shard?: number;
  /** Called before events up to a position are deleted. */
  beforeEviction?: (newest: Position) => void;
};

/**
 * Wire the parts of every emitter over its storage: events with their outbox, streams, timers, usage, and the one
 * alarm.
 */
export function createEmitter<Usage extends MeterDeps["usage"]>(deps: Deps<Usage>) {
  const { storage, queue, usage, identity } = deps;
  const timers = new Timers(storage.kv);
  // The owner's object finds timers that stopped by the ticks in these reports.
  const report: MeterDeps["report"] = (used) => deps.report({ ...used, timers: timers.all() });
  const storedBytes = (): number => storage.sql.databaseSize;
  const meter = new Meter({ kv: storage.kv, usage, identity, report, storedBytes });
  const history = new EventHistory(storage.sql, deps.beforeEviction);
  const streams = new Streams(deps.emitterId, deps.shard !== undefined && deps.shard > 0);
  const outbox = new Outbox(async (positions) => {
    const { emitterId: sourceId, ownerId } = identity() ?? {};
    if (sourceId && ownerId)
      await queue.send({ sourceId, ownerId, positions, ...(deps.shard && { shard: deps.shard }) });
  });
  const alerts = new Alerts(storage.kv, deps.reportAlerts);
  const { accounts: given, lostAccounts: lost } = deps;
  const isAlerting = (): boolean => alerts.state().open.some(({ kind }) => kind === "account_lost");
  const accountWatch = new AccountWatch({ kv: storage.kv, given, lost, isAlerting });
  const alarm = new Alarm(storage, () =>
    earliest(
      timers.nextDueMs(),
      meter.nextDueMs(),
      history.nextDueMs(),
      outboxDueMs(history),
      alerts.nextDueMs(),
      accountWatch.nextDueMs(),
    ),
  );
  return {
    storage,
    usage,
    meter,
    history,
    alerts,
    accountWatch,
    timers,
    streams,
    outbox,
    alarm,
    inboxDedupe: new InboxDedupe(storage.sql),
    publisher: new Publisher({ history, outbox, streams, alarm }),
  };
}

function outboxDueMs(history: EventHistory): number | undefined {
  const oldestMs = history.oldestUndeliveredMs();
  return oldestMs === undefined ? undefined : Math.max(oldestMs, Date.now()) + REDELIVERY_DELAY_MS;
}
