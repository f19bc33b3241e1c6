import * as store from "#db/usage-reports.ts";
import { addOwnerUsage, quotaStateOf } from "#db/usage.ts";
import {
  DAY_SECONDS,
  dayOf,
  type DayUsage,
  EMITTER_DAYS,
  type PayerUsage,
  usageBesideRuns,
  usageOf,
} from "#domain/billing.ts";
import { RequestError } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import { allowanceOf, type Quotas, type QuotaState, usedUp } from "#domain/quotas.ts";
import type { Plan } from "#sandbox/worker-loader.ts";
import { log } from "#telemetry/log.ts";

import type { Actor, AppContext } from "./context.ts";
import { writeKeptUsage } from "./kept-usage.ts";

/**
 * Record the usage of a payer's sources, workflows and webhooks so far, and return the quotas and the usage of today. A report may
 * be repeated, late or out of order: totals never decrease. Days without stored reports are unchanged.
 */
export async function recordUsage(
  ctx: Pick<AppContext, "db" | "now">,
  { emitters, ...usage }: PayerUsage,
): Promise<QuotaState> {
  const now = ctx.now();
  const closed = dayOf(now - EMITTER_DAYS * DAY_SECONDS);
  const open = emitters.map(({ days, ...emitter }) => {
    return { ...emitter, days: days.filter(({ day }) => day >= closed) };
  });
  return store.recordUsage(ctx.db, { ...usage, emitters: open }, dayOf(now));
}

/**
 * The plan by which code of an owner may run now without an event (see `planFor`). Refuses an owner with an exhausted
 * quota. The actor's quotas were loaded with the key: without any, there is no query.
 */
export async function planToRun(ctx: Admission, owner: OwnerId): Promise<Plan | undefined> {
  return admitted(ctx, owner, "The code was not run");
}

/** Refuse to send a request for an owner with an exhausted quota. */
export async function admitToSend(ctx: Admission, owner: OwnerId): Promise<void> {
  await admitted(ctx, owner, "The request was not sent");
}

type Admission = Pick<AppContext, "db" | "now" | "owners" | "requestId"> & {
  readonly actor?: Actor;
};

async function admitted(
  ctx: Admission,
  owner: OwnerId,
  refusal: string,
): Promise<Plan | undefined> {
  const { actor } = ctx;
  if (owner === actor?.id && !isLimited(actor)) return actor.plan;
  const state = await currentQuotaState(ctx, owner);
  const allowance = state && allowanceOf(state.quotas, state.used, state.storedBytes);
  if (allowance && allowance.runsLeft <= 0)
    throw new RequestError("quota_exceeded", `${refusal}: ${usedUp(allowance.quota)}`);
  return state?.plan;
}

/** The plan, quotas and usage of an owner; with quotas, the usage that the payer's object keeps is written to D1 before. */
async function currentQuotaState(ctx: Admission, owner: OwnerId) {
  const read = () => quotaStateOf(ctx.db, owner, dayOf(ctx.now()));
  const state = await read();
  if (!state || !isLimited(state.quotas)) return state;
  await writeKeptUsage(ctx, [state.payerId]);
  const [current, storedBytes] = await Promise.all([
    read(),
    state.quotas.storageQuota === null ? 0 : ctx.owners(state.payerId).storedBytes(),
  ]);
  return current && { ...current, storedBytes };
}

/** Count the usage of an owner's code that runs without an event. A failure to count blocks nobody. */
export function metered<T>(ctx: Metering, owner: OwnerId, work: Promise<T>): Promise<T> {
  return counted(ctx, owner, { work, usage: usageBesideRuns });
}

/**
 * Count a run of an owner's code without an event, or a request that is sent for the owner: an invocation, and at least
 * one credit. A failure to count blocks nobody.
 */
export function meteredRun<T>(ctx: Metering, owner: OwnerId, work: () => Promise<T>): Promise<T> {
  return counted(ctx, owner, { work: work(), usage: usageOfWork });
}

/** At least one: the clock stands still between two I/O operations. */
function usageOfWork(ms: number, nowMs: number): DayUsage {
  return usageOf(Math.max(1, ms), nowMs);
}

type Metering = Pick<AppContext, "db" | "owners" | "requestId">;

async function counted<T>(
  { db, owners, requestId: request_id }: Metering,
  owner_id: OwnerId,
  { work, usage }: { work: Promise<T>; usage: (computeMs: number, nowMs: number) => DayUsage },
): Promise<T> {
  const beganMs = Date.now();
  try {
    return await work;
  } finally {
    const endedMs = Date.now();
    const used = usage(endedMs - beganMs, endedMs);
    try {
      if (used.invocations + used.computeMs > 0) {
        await addOwnerUsage(db, owner_id, used);
        await owners(owner_id).usageAdded(owner_id);
      }
    } catch (error) {
      log("usage_unreported", { request_id, owner_id, error });
    }
  }
}

function isLimited(quotas: Quotas): boolean {
  const { dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota, storageQuota } = quotas;
  return [dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota, storageQuota].some(
    (quota) => quota !== null,
  );
}
