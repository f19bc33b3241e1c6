import type { UsageReport } from "#domain/billing.ts";
import { toJson } from "#domain/json.ts";
import { queueOf } from "#domain/queues.ts";
import type { Allowance } from "#domain/quotas.ts";
import { shardName } from "#domain/source-shards.ts";
import { copied } from "#durable-objects/shared/rpc-results.ts";
import { grantStores } from "#sandbox/data-stores.ts";
import { ownOrigins } from "#sandbox/egress/network.ts";
import { openUserCode, originOf } from "#sandbox/open.ts";
import type { UserCode } from "#sandbox/user-code.ts";
import { openVault } from "#vault/vault.ts";

import type { Deployment } from "./contract.ts";
import { ResolvedProps } from "./resolved-props.ts";
import { placeOf } from "./shard.ts";
import type { createSource } from "./wiring.ts";

type Deps = Parameters<typeof createSource>[0];

/** What a source object needs from its surroundings. A shard reports to the source's own object. */
export function depsOf(ctx: DurableObjectState, env: Env): Deps {
  const name = ctx.id.name ?? "";
  const { sourceId, shard } = placeOf(ctx.storage.kv, name);
  const own = () => env.SOURCES.getByName(sourceId);
  const toOwner = (usage: UsageReport): Promise<Allowance> =>
    copied(env.OWNERS.getByName(usage.ownerId).reportUsage(usage));
  return {
    storage: ctx.storage,
    version: env.VERSION.id,
    queue: queueOf(env, name),
    sourceId,
    shard,
    openShard: (number) => env.SOURCES.getByName(shardName(sourceId, number)),
    sandbox: {
      open: (deployment) => open(ctx, env, deployment),
      stores: ({ props, configuredProps }) =>
        grantStores((id) => env.DATA_STORES.getByName(id), props, configuredProps),
      origin: ({ bundleHash }) => originOf(env, bundleHash),
      origins: ownOrigins(env),
      egress: ({ ownerId: owner }, cause) => ctx.exports.Egress({ props: { owner, cause } }),
    },
    configured: new ResolvedProps((id) => env.ACCOUNTS.getByName(id), openVault(env)),
    report: (usage) =>
      shard === 0 ? toOwner(usage) : copied(own().reportShard(shard, toJson(usage.days))),
    reportAlerts: (report) => ctx.exports.Directory.recordAlerts(report),
    reportRuns: (runs) => own().reportShardRuns(shard, toJson(runs)),
    lostAccounts: (owner, ids) => ctx.exports.Directory.lostAccounts(owner, ids),
    reportSettled: (settled) => ctx.exports.Directory.settled(settled),
    countListeners: (emitter, channels) => ctx.exports.Directory.countListeners(emitter, channels),
  };
}

function open(ctx: DurableObjectState, env: Env, deployment: Deployment): UserCode {
  const { Egress } = ctx.exports;
  return openUserCode(
    env,
    {
      egress: (owner) => Egress({ props: { owner } }),
      provide: (request) => env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE).provide(request),
    },
    deployment,
  );
}
