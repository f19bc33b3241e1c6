import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { recordUsage } from "#db/usage-reports.ts";
import { addOwnerUsage } from "#db/usage.ts";
import { dayOf } from "#domain/billing.ts";
import { type Id, newId } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";
import type { UsageBuffer } from "#durable-objects/owner/usage.ts";

import { operator, signUp } from "../support/client.ts";
import { clearReports, openUsage } from "../support/owner-tables.ts";
import { usedOn } from "../support/usage.ts";

const TODAY = dayOf(Date.now() / 1000);

/** Reports of a payer with quotas, and usage that others add in D1. */
const LIMITED_EVENT = record({
  kind: constantFrom("use", "use", "report", "report", "report", "flush", "evict", "add", "quotas"),
  at: nat(2),
});

const LIMIT = 1000;

test("a payer with quotas has the exact rest of them, and few writes to D1", async () => {
  const stub = env.OWNERS.getByName(newId("user"));
  await stub.beginRoutesChange("set up", []);
  await runInDurableObject(stub, (_, { storage }) =>
    assert(
      asyncProperty(
        array(LIMITED_EVENT, { maxLength: 40 }),
        boolean(),
        async (happenings, isNew) => {
          const payer = new LimitedPayer(storage, isNew);
          for (const happening of happenings) await payer.happen(happening);
          await payer.end();
          expect(payer.mismatches).toEqual([]);
          expect(payer.writes).toBeLessThanOrEqual(payer.mostWrites);
        },
      ),
      { numRuns: 40 },
    ),
  );
});

/** A payer with a quota of runs, and three emitters that report to the object. */
class LimitedPayer {
  readonly #payerId = newId("user");
  readonly #storage: DurableObjectStorage;
  readonly #emitters = [0, 1, 2].map(() => ({ id: newId("source"), used: 0, reported: 0 }));
  #added = 0;
  #buffer: UsageBuffer;
  writes = 0;
  readonly mismatches: object[] = [];
  /** One for the first report, or for each emitter's if the quotas were set today, and one for each cause besides. */
  mostWrites: number;

  constructor(storage: DurableObjectStorage, isNew: boolean) {
    this.#storage = storage;
    this.mostWrites = isNew ? 4 : 1;
    clearReports(storage);
    for (const key of ["limited", "quotas", "kept_since"]) storage.kv.delete(key);
    if (!isNew) storage.kv.put("kept_since", "2020-01-01");
    this.#buffer = this.#open();
  }

  async happen({ kind, at }: { kind: string; at: number }): Promise<void> {
    const emitter = this.#emitters[at];
    if (kind === "use" && emitter) emitter.used += 1;
    else if (kind === "report" && emitter) await this.#report(emitter);
    else if (kind === "evict") this.#buffer = this.#open();
    else await this.#cause(kind);
  }

  /** Each of these may cause one write. */
  async #cause(kind: string): Promise<void> {
    this.mostWrites += 1;
    if (kind === "flush") await this.#buffer.flush();
    else if (kind === "add") await this.#add();
    else this.#buffer.forgetQuotas();
  }

  async end(): Promise<void> {
    await this.#buffer.flush();
    this.mostWrites += 1;
    this.#note((await usedOn(this.#payerId, TODAY)).invocations, this.#sum());
  }

  #note(found: number | undefined, expected: number): void {
    if (found !== expected) this.mismatches.push({ found, expected });
  }

  async #report(emitter: { id: Id<"source">; used: number; reported: number }): Promise<void> {
    const { id: emitterId, used } = emitter;
    emitter.reported = used;
    const day = { day: TODAY, invocations: used, computeMs: 10 * used, credits: used };
    const days = used === 0 ? [] : [day];
    const allowance = await this.#buffer.report({ ownerId: this.#payerId, emitterId, days });
    this.#note(allowance?.runsLeft, LIMIT - this.#sum());
  }

  async #add(): Promise<void> {
    this.#added += 5;
    const used = { invocations: 5, computeMs: 1, credits: 5 };
    await addOwnerUsage(connect(env.DB), this.#payerId, { day: TODAY, ...used });
    this.#buffer.forgetUsed();
  }

  #sum(): number {
    return this.#emitters.reduce((sum, { reported }) => sum + reported, this.#added);
  }

  #open(): UsageBuffer {
    return openUsage(this.#storage, this.#payerId, async (usage) => {
      this.writes += 1;
      const { used } = await recordUsage(connect(env.DB), usage, TODAY);
      return { used, quotas: { ...NO_QUOTAS, dailyInvocationsQuota: LIMIT } };
    }).usage;
  }
}

test("D1 is written once a minute for a payer with quotas", async () => {
  const ada = await signUp();
  await operator.put(`/users/${ada.user.id}/quotas`, { daily_invocations_quota: 100 });
  const { id: ownerId } = ada.user;
  const emitterId = newId("source");
  const stub = env.OWNERS.getByName(ownerId);
  const report = (invocations: number) => {
    const used = { invocations, computeMs: 1, credits: invocations };
    return stub.reportUsage({ ownerId, emitterId, days: [{ day: TODAY, ...used }] });
  };
  const written = () =>
    env.DB.prepare("SELECT invocations FROM owner_usage WHERE owner_id = ?")
      .bind(ownerId)
      .first<number>("invocations");
  expect(await report(1)).toMatchObject({ runsLeft: 99 });
  expect(await written()).toBe(1);
  for (const invocations of [2, 7])
    expect(await report(invocations)).toMatchObject({ runsLeft: 100 - invocations });
  await evictDurableObject(stub);
  expect(await report(8)).toMatchObject({ runsLeft: 92 });
  expect(await written()).toBe(1);
  await runInDurableObject(stub, (_, { storage }) => {
    const cached = storage.kv.get<{ readMs: number }>("quotas");
    storage.kv.put("quotas", { ...cached, readMs: Date.now() - 60_000 });
  });
  expect(await report(9)).toMatchObject({ runsLeft: 91 });
  expect(await written()).toBe(9);
});
