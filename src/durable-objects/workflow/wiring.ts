import { chosenAccounts } from "#domain/accounts.ts";
import type { UsageReport } from "#domain/billing.ts";
import type { Id } from "#domain/ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { LostAccounts } from "#durable-objects/emitter/account-watch.ts";
import type { ReportAlerts } from "#durable-objects/emitter/alerts.ts";
import { createEmitter } from "#durable-objects/emitter/emitter.ts";
import { earliest } from "#durable-objects/shared/alarm.ts";

import { Deployments } from "./deployments.ts";
import { EndedInstances } from "./ended-instances.ts";
import { Endpoint } from "./endpoint.ts";
import { type Engine, EngineShards } from "./engine-shards.ts";
import { Listener } from "./listener.ts";
import { ManualRuns } from "./manual-runs.ts";
import { MessageSender, type SenderDeps } from "./message-sender.ts";
import { Messages } from "./messages.ts";
import { PendingResponses } from "./responses.ts";
import { RunCommitter } from "./run-committer.ts";
import { RunHistory } from "./run-history.ts";
import { Runs } from "./runs.ts";
import { Starter } from "./starter.ts";
import { StepDb } from "./step-db.ts";
import { Telemetry } from "./telemetry.ts";
import { Usage } from "./usage.ts";

type Deps = SenderDeps & {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  /** The engines for runs, and the number of the one for new runs. */
  engines: readonly [Engine, ...Engine[]];
  place: number;
  workflowId: Id<"workflow">;
  report: (usage: UsageReport) => Promise<Allowance>;
  reportAlerts: ReportAlerts;
  lostAccounts: LostAccounts;
};

/** The wired parts of a workflow object, over its storage. */
export type WiredWorkflow = ReturnType<typeof createWorkflow>;

export function createWorkflow(deps: Deps) {
  const { workflowId } = deps;
  const { usage, own, engine } = createRuns(deps);
  const emitter = createEmitter({
    ...deps,
    emitterId: workflowId,
    usage,
    identity: () => {
      const ownerId = own.deployments.current()?.ownerId;
      return ownerId && { ownerId, emitterId: workflowId };
    },
    accounts: () => {
      const { ownerId, steps = [] } = own.deployments.current() ?? {};
      const ids = steps.flatMap(({ props, values }) => chosenAccounts(props, values));
      return ownerId && { ownerId, ids: ids.map(({ accountId }) => accountId) };
    },
  });
  const { meter, alarm, history } = emitter;
  const starter = new Starter({ runs: own.runs, history, meter, alarm, engine, workflowId });
  const sender = new MessageSender({
    ...deps,
    messages: own.messages,
    alarm,
    owner: () => own.deployments.current()?.ownerId,
    fail: (message, error) => committer.failMessage(message, error),
  });
  alarm.include(() =>
    earliest(
      own.runs.checks.nextCheckMs(),
      own.ended.nextDueMs(),
      starter.nextDueMs(),
      sender.nextDueMs(),
    ),
  );
  const telemetry = new Telemetry();
  const kept = { ...own, ...emitter, starter, sender, engine, workflowId, telemetry };
  const committer: RunCommitter = new RunCommitter(kept);
  const endpoint = new Endpoint({ ...kept, committer });
  const listener = new Listener({ ...kept, committer });
  const manualRuns = new ManualRuns({ ...kept, committer });
  return { ...kept, committer, endpoint, listener, manualRuns };
}

/** The records of a workflow and its runs. */
function createRuns({ storage, engines, place, workflowId }: Deps) {
  const usage = new Usage(storage);
  const messages = new Messages(storage.sql);
  const runs = new Runs(storage.sql, (first) => {
    ended.keepBefore(first);
    usage.foldBefore(first);
  });
  const engine: Engine = new EngineShards({
    kv: storage.kv,
    engines,
    place,
    hasMoreThan: (instances) =>
      runs.unfinished().length > instances || ended.nextDueMs() !== undefined,
  });
  const ended = new EndedInstances(storage, engine, workflowId);
  const own = {
    deployments: new Deployments(storage),
    runs,
    messages,
    runHistory: new RunHistory(storage.sql, messages),
    stepDb: new StepDb(storage.sql),
    ended,
    responses: new PendingResponses(),
  };
  return { usage, own, engine };
}
