import type { UsageReport } from "#domain/billing.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Allowance } from "#domain/quotas.ts";
import { EventHistory } from "#durable-objects/emitter/history.ts";
import { InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";
import { Outbox, REDELIVERY_DELAY_MS } from "#durable-objects/emitter/outbox.ts";
import { Publisher } from "#durable-objects/emitter/publisher.ts";
import { Streams } from "#durable-objects/emitter/streams.ts";
import { Alarm, earliest } from "#durable-objects/shared/alarm.ts";
import { Meter } from "#durable-objects/shared/meter.ts";
import { Timers } from "#durable-objects/shared/timers.ts";

import type { Settled } from "./contract.ts";
import { Deployments } from "./deployments.ts";
import { Endpoint } from "./endpoint.ts";
import { Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Listener } from "./listener.ts";
import { ManualRuns } from "./manual-runs.ts";
import type { ResolvedProps } from "./resolved-props.ts";
import { RunCommitter } from "./run-committer.ts";
import { RunInvoker, type Sandbox } from "./run-invoker.ts";
import { Runner } from "./runner.ts";
import { ServiceDbStore } from "./service-db.ts";
import { Telemetry } from "./telemetry.ts";
import { Usage } from "./usage.ts";

/** How often what waits for the owner's quotas asks whether it may run. */
const HELD_DELAY_MS = 60_000;

type Deps = {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  sourceId: string;
  sandbox: Sandbox;
  configured: ResolvedProps;
  report: (usage: UsageReport) => Promise<Allowance>;
  tell: (settled: Settled) => Promise<void>;
};

/** Everything a source object is made of, wired together over its storage. */
export type WiredSource = ReturnType<typeof createSource>;

export function createSource(deps: Deps) {
  const stores = openStores(deps);
  const alarm = new Alarm(deps.storage, () => nextDueMs(stores));
  const kept = { ...stores, alarm };
  const committer = new RunCommitter({ ...kept, publisher: new Publisher(kept) });
  const invoker = new RunInvoker(deps.sandbox, stores.serviceDb, deps.configured);
  const lifecycle = new Lifecycle({ ...kept, committer, invoker, tell: deps.tell });
  const isChanging = (): boolean => lifecycle.isChanging();
  const telemetry = new Telemetry();
  const runner = new Runner({ ...kept, committer, invoker, telemetry, isChanging });
  const listener = new Listener({ ...kept, committer, runner });
  const endpoint = new Endpoint({ ...kept, runner });
  const manualRuns = new ManualRuns({ ...kept, runner });
  return {
    ...kept,
    telemetry,
    committer,
    invoker,
    lifecycle,
    runner,
    listener,
    endpoint,
    manualRuns,
  };
}

function openStores({ storage, queue, sourceId, report }: Deps) {
  const deployments = new Deployments(storage.kv);
  const usage = new Usage(storage);
  const identity = () => {
    const { sourceId: emitterId, ownerId } = deployments.current() ?? {};
    return emitterId && ownerId && { emitterId, ownerId };
  };
  const send = async (positions: Position[]): Promise<void> => {
    const ownerId = deployments.current()?.ownerId;
    if (ownerId) await queue.send({ sourceId, ownerId, positions });
  };
  return {
    storage,
    history: new EventHistory(storage.sql, () => usage.fold()),
    usage,
    meter: new Meter({ kv: storage.kv, usage, identity, report }),
    inbox: new Inbox(storage.sql),
    inboxDedupe: new InboxDedupe(storage.sql),
    serviceDb: new ServiceDbStore(storage.sql),
    deployments,
    timers: new Timers(storage.kv),
    streams: new Streams(sourceId),
    outbox: new Outbox(send),
  };
}

/** When the alarm is due next by what is stored, epoch milliseconds. */
function nextDueMs(stores: ReturnType<typeof openStores>): number | undefined {
  const { history, inbox, deployments, timers, meter } = stores;
  const oldestMs = history.oldestUndeliveredMs();
  const isHeld = meter.exhausted(0) !== undefined;
  const isChangeOpen =
    deployments.status().phase === "changing" || deployments.untold() !== undefined;
  const isUnfinished = !inbox.isEmpty() || isChangeOpen;
  return earliest(
    timers.nextDueMs(),
    meter.nextDueMs(),
    history.nextDueMs(),
    oldestMs === undefined ? undefined : Math.max(oldestMs, Date.now()) + REDELIVERY_DELAY_MS,
    isUnfinished ? Date.now() + (isHeld ? HELD_DELAY_MS : RECOVERY_DELAY_MS) : undefined,
  );
}
