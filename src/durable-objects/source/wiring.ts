import { chosenAccounts } from "#domain/accounts.ts";
import type { UsageReport } from "#domain/billing.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { LostAccounts } from "#durable-objects/emitter/account-watch.ts";
import type { ReportAlerts } from "#durable-objects/emitter/alerts.ts";
import { createEmitter } from "#durable-objects/emitter/emitter.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

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
import type { CountListeners } from "./shown-run.ts";
import { Telemetry } from "./telemetry.ts";
import { Ticks } from "./ticks.ts";
import { Usage } from "./usage.ts";

/** Interval at which events that wait for the owner's quotas are retried. */
const HELD_DELAY_MS = 60_000;

type Deps = {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  sourceId: string;
  sandbox: Sandbox;
  configured: ResolvedProps;
  report: (usage: UsageReport) => Promise<Allowance>;
  reportAlerts: ReportAlerts;
  lostAccounts: LostAccounts;
  reportSettled: (settled: Settled) => Promise<void>;
  countListeners: CountListeners;
};

/** The wired parts of a source object, over its storage. */
export type WiredSource = ReturnType<typeof createSource>;

export function createSource(deps: Deps) {
  const { storage } = deps;
  const own = {
    deployments: new Deployments(storage.kv),
    inbox: new Inbox(storage.sql),
    serviceDb: new ServiceDbStore(storage.sql),
  };
  const usage = new Usage(storage);
  const emitter = createEmitter({
    ...deps,
    emitterId: deps.sourceId,
    usage,
    identity: () => identityOf(own.deployments),
    accounts: () => accountsOf(own.deployments),
    beforeEviction: (newest) => usage.foldBefore(newest),
  });
  emitter.alarm.include(() => nextDueMs(own, emitter.meter));
  const kept = { ...own, ...emitter };
  const committer = new RunCommitter(kept);
  const invoker = new RunInvoker(deps.sandbox, own.serviceDb, deps.configured);
  const lifecycle = new Lifecycle({
    ...kept,
    committer,
    invoker,
    reportSettled: deps.reportSettled,
  });
  const isChanging = (): boolean => lifecycle.isChanging();
  const telemetry = new Telemetry(deps.countListeners);
  const runner = new Runner({ ...kept, committer, invoker, telemetry, isChanging });
  const listener = new Listener({ ...kept, committer, runner });
  const endpoint = new Endpoint({ ...kept, runner });
  const ticks = new Ticks({ ...kept, committer, runner });
  const manualRuns = new ManualRuns({ ...kept, runner });
  return {
    ...kept,
    sourceId: deps.sourceId,
    telemetry,
    committer,
    invoker,
    lifecycle,
    runner,
    listener,
    endpoint,
    ticks,
    manualRuns,
  };
}

function identityOf(deployments: Deployments) {
  const { sourceId: emitterId, ownerId } = deployments.current() ?? {};
  return emitterId && ownerId && { emitterId, ownerId };
}

function accountsOf(deployments: Deployments) {
  const deployment = deployments.current();
  if (!deployment) return undefined;
  const { ownerId, props, configuredProps } = deployment;
  const ids = chosenAccounts(props, configuredProps).map(({ accountId }) => accountId);
  return { ownerId, ids };
}

type Own = { deployments: Deployments; inbox: Inbox };

/** The next due time of unfinished events and changes by storage, epoch milliseconds. */
function nextDueMs({ inbox, deployments }: Own, meter: Meter): number | undefined {
  const isChangeOpen =
    deployments.status().phase === "changing" || deployments.unreported() !== undefined;
  if (inbox.isEmpty() && !isChangeOpen) return undefined;
  const isHeld = meter.exhausted(0) !== undefined;
  return Date.now() + (isHeld ? HELD_DELAY_MS : RECOVERY_DELAY_MS);
}
