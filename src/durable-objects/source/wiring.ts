import { chosenAccounts } from "#domain/accounts.ts";
import type { UsageReport } from "#domain/billing.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { ShardRuns } from "#domain/shard-alerts.ts";
import type { Shard } from "#domain/source-shards.ts";
import type { LostAccounts } from "#durable-objects/emitter/account-watch.ts";
import type { ReportAlerts } from "#durable-objects/emitter/alerts.ts";
import { createEmitter } from "#durable-objects/emitter/emitter.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import type { Streams } from "#durable-objects/emitter/streams.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import { AllShards } from "./all-shards.ts";
import type { Settled } from "./contract.ts";
import { DedupeMemory } from "./dedupe-memory.ts";
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
import { ShardAlerts } from "./shard-alerts.ts";
import type { ShardControl } from "./shard-contract.ts";
import { ShardRole } from "./shard.ts";
import type { CountListeners } from "./shown-run.ts";
import { Siblings } from "./siblings.ts";
import { Telemetry } from "./telemetry.ts";
import { Ticks } from "./ticks.ts";
import { Usage } from "./usage.ts";

/** Interval at which events that wait for the owner's quotas are retried. */
const HELD_DELAY_MS = 60_000;

type Deps = {
  storage: DurableObjectStorage;
  /** The version of the platform's code. */
  version: string;
  queue: Queue<EmissionMessage>;
  sourceId: string;
  /** The number of this object among those of the source; 0 is the source's own. */
  shard: Shard;
  openShard: (shard: Shard) => ShardControl;
  sandbox: Sandbox;
  configured: ResolvedProps;
  report: (usage: UsageReport) => Promise<Allowance>;
  reportAlerts: ReportAlerts;
  /** Report the results of a shard's runs to the source's own object. */
  reportRuns: (runs: ShardRuns) => Promise<void>;
  lostAccounts: LostAccounts;
  reportSettled: (settled: Settled) => Promise<void>;
  countListeners: CountListeners;
};

/** The wired parts of a source object, over its storage. */
export type WiredSource = ReturnType<typeof createSource>;

export function createSource(deps: Deps) {
  const { storage, reportSettled } = deps;
  const own = {
    deployments: new Deployments(storage.kv),
    inbox: new Inbox(storage.sql, deps.version),
    serviceDb: new ServiceDbStore(storage.sql),
  };
  const usage = new Usage(storage);
  const emitter = createEmitter({
    ...deps,
    emitterId: deps.sourceId,
    usage,
    identity: () => identityOf(own.deployments),
    // Accounts are checked once for a source.
    accounts: () => (deps.shard === 0 ? accountsOf(own.deployments) : undefined),
    beforeEviction: (newest) => usage.foldBefore(newest),
  });
  const { siblings, role } = createShards(deps, { ...own, ...emitter });
  const shardAlerts = new ShardAlerts({ ...deps, ...emitter, siblings });
  const dedupeMemory = new DedupeMemory(storage, emitter.history);
  const kept = { ...own, ...emitter, dedupeMemory, shardAlerts };
  emitter.alarm.include(() => nextDueMs({ ...own, siblings }, emitter.meter));
  emitter.alarm.include(() => shardAlerts.nextDueMs());
  const committer = new RunCommitter(kept);
  const invoker = new RunInvoker(deps.sandbox, own.serviceDb, deps.configured);
  const lifecycle = new Lifecycle({ ...kept, committer, invoker, reportSettled });
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
    siblings,
    role,
    allShards: new AllShards({ ...kept, committer, siblings }),
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

/** The other shards of a source, and the role of this one among them if it is not the source's own object. */
function createShards(
  { storage: { kv }, shard, openShard: open }: Deps,
  kept: { history: EventHistory; deployments: Deployments; streams: Streams },
): { siblings: Siblings; role: ShardRole | undefined } {
  const role = shard === 0 ? undefined : new ShardRole({ ...kept, kv }, shard);
  // Readers of streams come back, and then read the further shards too.
  const beforeGrowth = (): void => kept.streams.close();
  return { siblings: new Siblings({ ...kept, kv, open, beforeGrowth }), role };
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

type Own = { deployments: Deployments; inbox: Inbox; siblings: Siblings };

/** The next due time of unfinished events and changes by storage, epoch milliseconds. */
function nextDueMs({ inbox, deployments, siblings }: Own, meter: Meter): number | undefined {
  const isChangeOpen =
    deployments.status().phase === "changing" ||
    deployments.unreported() !== undefined ||
    siblings.isBehind();
  if (inbox.isEmpty() && !isChangeOpen) return undefined;
  const isHeld = meter.exhausted(0) !== undefined;
  return Date.now() + (isHeld ? HELD_DELAY_MS : RECOVERY_DELAY_MS);
}
