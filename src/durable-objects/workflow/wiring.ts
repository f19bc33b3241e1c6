import type { UsageReport } from "#domain/billing.ts";
import type { Position } from "#domain/event-ids.ts";
import type { Id } from "#domain/ids.ts";
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
import { UsageTotals } from "#durable-objects/shared/usage-totals.ts";

import type { RunTicket } from "./contract.ts";
import { WorkflowDeployments } from "./deployments.ts";
import { EndedInstances } from "./ended-instances.ts";
import { WorkflowEndpoint } from "./endpoint.ts";
import { WorkflowListener } from "./listener.ts";
import { Answers } from "./responses.ts";
import { RunCommitter } from "./run-committer.ts";
import { RunHistory } from "./run-history.ts";
import { Runs } from "./runs.ts";
import { Starter } from "./starter.ts";
import { StepDb } from "./step-db.ts";
import { Telemetry } from "./telemetry.ts";

type Deps = {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  engine: Workflow<RunTicket>;
  workflowId: Id<"workflow">;
  report: (usage: UsageReport) => Promise<Allowance>;
};

/** Everything a workflow object is made of, wired together over its storage. */
export type WiredWorkflow = ReturnType<typeof createWorkflow>;

export function createWorkflow(deps: Deps) {
  const { storage, engine, workflowId } = deps;
  const stores = openStores(deps);
  const alarm = new Alarm(storage, () => nextDueMs(stores, starter));
  const { runs, meter } = stores;
  const starter = new Starter({ runs, meter, alarm, engine, workflowId });
  const publisher = new Publisher({ ...stores, alarm });
  const telemetry = new Telemetry();
  const kept = { ...stores, alarm, starter, engine, workflowId, telemetry };
  const committer = new RunCommitter({ ...kept, publisher });
  const endpoint = new WorkflowEndpoint({ ...kept, committer });
  const listener = new WorkflowListener({ ...kept, committer });
  return { ...kept, committer, endpoint, listener };
}

function openStores({ storage, queue, engine, workflowId, report }: Deps) {
  const deployments = new WorkflowDeployments(storage);
  const send = async (positions: Position[]): Promise<void> => {
    const ownerId = deployments.current()?.ownerId;
    if (ownerId) await queue.send({ sourceId: workflowId, ownerId, positions });
  };
  const usage = new UsageTotals(storage.sql);
  const identity = () => {
    const ownerId = deployments.current()?.ownerId;
    return ownerId && { ownerId, emitterId: workflowId };
  };
  return {
    storage,
    deployments,
    usage,
    meter: new Meter({ kv: storage.kv, usage, identity, report }),
    runs: new Runs(storage.sql),
    runHistory: new RunHistory(storage.sql),
    stepDb: new StepDb(storage.sql),
    ended: new EndedInstances(storage.sql, engine, workflowId),
    history: new EventHistory(storage.sql),
    inboxDedupe: new InboxDedupe(storage.sql),
    timers: new Timers(storage.kv),
    streams: new Streams(workflowId),
    outbox: new Outbox(send),
    answers: new Answers(),
  };
}

/** When the alarm is due next by what is stored, epoch milliseconds. */
function nextDueMs(
  { history, runs, ended, timers, meter }: ReturnType<typeof openStores>,
  starter: Starter,
): number | undefined {
  const oldestMs = history.oldestUndeliveredMs();
  return earliest(
    timers.nextDueMs(),
    runs.nextCheckMs(),
    ended.nextDueMs(),
    meter.nextDueMs(),
    starter.nextDueMs(),
    oldestMs === undefined ? undefined : Math.max(oldestMs, Date.now()) + REDELIVERY_DELAY_MS,
  );
}
