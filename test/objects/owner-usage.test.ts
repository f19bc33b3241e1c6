import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
} from "fast-check";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { recordUsage } from "#db/usage-reports.ts";
import { type DayUsage, dayOf, type PayerUsage, USAGE_FLUSH_SECONDS } from "#domain/billing.ts";
import { newId } from "#domain/ids.ts";
import type { QuotaState } from "#domain/quotas.ts";
import type { UsageBuffer } from "#durable-objects/owner/usage.ts";

import { stopClock } from "../support/clock.ts";
import { clearReports, openUsage } from "../support/owner-tables.ts";

const DAYS = [0, 1, 2].map((ago) => dayOf(Date.now() / 1000 - ago * 24 * 3600));

/** Steps: reports of an emitter, some of them lost, late or repeated, and failures of the object. */
const EVENT = oneof(
  { weight: 4, arbitrary: record({ kind: constant("use"), at: nat(2), day: nat(2) }) },
  {
    weight: 5,
    arbitrary: record({ kind: constant("report"), at: nat(2), day: nat(2) }),
  },
  {
    weight: 2,
    arbitrary: record({ kind: constant("repeat"), at: nat(20), day: nat(2) }),
  },
  {
    weight: 3,
    arbitrary: record({
      kind: constantFrom("flush", "evict", "fail before", "fail after"),
      at: constant(0),
      day: constant(0),
    }),
  },
);

type Happening = { kind: string; at: number; day: number };

/** A payer's emitters, their usage, and the object that receives their reports. */
class World {
  readonly payerId = newId("user");
  readonly #storage: DurableObjectStorage;
  readonly #emitters = [0, 1, 2].map(() => {
    return {
      id: newId("source"),
      used: new Map<string, number>(),
      taken: new Map<string, number>(),
    };
  });
  readonly #sent: { at: number; days: DayUsage[] }[] = [];
  #buffer: UsageBuffer;
  #failure: "before" | "after" | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    clearReports(storage);
    storage.kv.delete("limited");
    this.#buffer = this.#open();
  }

  /** The usage of the emitters, and the acknowledged part of it. */
  get sums() {
    return {
      used: sumOf(this.#emitters.map(({ used }) => used)),
      taken: sumOf(this.#emitters.map(({ taken }) => taken)),
    };
  }

  async happen({ kind, at, day }: Happening): Promise<void> {
    if (kind === "use") count(this.#emitters[at]?.used, DAYS[day] ?? "");
    else if (kind === "report") await this.#report(at);
    else if (kind === "repeat") await this.#deliver(this.#sent[at]);
    else await this.#befall(kind);
  }

  async end(): Promise<void> {
    this.#failure = undefined;
    await this.#buffer.flush();
  }

  async #befall(kind: string): Promise<void> {
    if (kind === "evict") this.#buffer = this.#open();
    else if (kind === "fail before") this.#failure = "before";
    else if (kind === "fail after") this.#failure = "after";
    else await this.#buffer.flush().catch(() => undefined);
  }

  async #report(at: number): Promise<void> {
    const days = [...(this.#emitters[at]?.used ?? [])].map(([day, invocations]) => {
      return { day, invocations, computeMs: 10 * invocations, credits: invocations };
    });
    this.#sent.push({ at, days });
    await this.#deliver({ at, days });
  }

  async #deliver(report: { at: number; days: DayUsage[] } | undefined): Promise<void> {
    const emitter = report && this.#emitters[report.at];
    if (!emitter) return;
    const { days } = report;
    try {
      await this.#buffer.report({ ownerId: this.payerId, emitterId: emitter.id, days });
    } catch {
      return;
    }
    for (const { day, invocations } of days)
      emitter.taken.set(day, Math.max(emitter.taken.get(day) ?? 0, invocations));
  }

  #open(): UsageBuffer {
    return openUsage(this.#storage, this.payerId, (usage) => this.#record(usage)).usage;
  }

  async #record(usage: PayerUsage): Promise<QuotaState> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === "before") throw new Error("D1 did not respond");
    const state = await recordUsage(connect(env.DB), usage, DAYS[0] ?? "");
    if (failure === "after") throw new Error("The response of D1 was lost");
    return state;
  }
}

function count(days: Map<string, number> | undefined, day: string): void {
  days?.set(day, (days.get(day) ?? 0) + 1);
}

function sumOf(days: readonly Map<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of days) for (const [day, n] of one) sums[day] = (sums[day] ?? 0) + n;
  return sums;
}

async function inD1(payerId: string): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "SELECT day, invocations FROM owner_usage WHERE owner_id = ?",
  )
    .bind(payerId)
    .all<{ day: string; invocations: number }>();
  return Object.fromEntries(results.map(({ day, invocations }) => [day, invocations]));
}

test("acknowledged usage is in D1 once, despite repeated, late, lost reports and evictions", async () => {
  const stub = env.OWNERS.getByName(newId("user"));
  await stub.beginRoutesChange("set up", []);
  await runInDurableObject(stub, (_, { storage }) =>
    assert(
      asyncProperty(array(EVENT, { minLength: 5, maxLength: 40 }), async (happenings) => {
        const world = new World(storage);
        for (const happening of happenings) await world.happen(happening);
        await world.end();
        const { taken, used } = world.sums;
        const found = await inD1(world.payerId);
        for (const [day, atLeast] of Object.entries(taken)) {
          // A report that failed may have reached D1 all the same.
          expect(found[day] ?? 0).toBeGreaterThanOrEqual(atLeast);
          expect(found[day] ?? 0).toBeLessThanOrEqual(used[day] ?? 0);
        }
      }),
      { numRuns: 60 },
    ),
  );
});

/** An owner, and a function that reports its emitter's runs of today. */
function owner() {
  const ownerId = newId("user");
  const emitterId = newId("source");
  const stub = env.OWNERS.getByName(ownerId);
  const report = (invocations: number) => {
    const used = { invocations, computeMs: 10 * invocations, credits: invocations };
    return stub.reportUsage({ ownerId, emitterId, days: [{ day: DAYS[0] ?? "", ...used }] });
  };
  return { ownerId, stub, report };
}

test("usage is collected in the object, and written to D1 before it is read", async () => {
  const { ownerId, stub, report } = owner();
  await report(1);
  expect(await inD1(ownerId)).toEqual({ [DAYS[0] ?? ""]: 1 });
  for (const invocations of [2, 5, 3]) await report(invocations);
  expect(await inD1(ownerId)).toEqual({ [DAYS[0] ?? ""]: 1 });
  await stub.flushUsage();
  expect(await inD1(ownerId)).toEqual({ [DAYS[0] ?? ""]: 5 });
});

test("an alarm writes usage that is not read", async () => {
  const { startMs } = stopClock();
  const { ownerId, stub, report } = owner();
  await report(1);
  await report(4);
  const dueMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(dueMs).toBe(startMs + USAGE_FLUSH_SECONDS * 1000);
  await runInDurableObject(stub, (instance) => instance.alarm());
  expect(await inD1(ownerId)).toEqual({ [DAYS[0] ?? ""]: 4 });
});

test("counts of a webhook's processes add up, each once, and a late report is ignored", async () => {
  const ownerId = newId("user");
  const webhookId = newId("webhook");
  await env.DB.prepare(
    "INSERT INTO webhooks (id, owner_id, user_id, url, active, created_at, updated_at) VALUES (?, ?, ?, 'http://a', 1, 1, 1)",
  )
    .bind(webhookId, ownerId, ownerId)
    .run();
  const stub = env.OWNERS.getByName(ownerId);
  const counts = (attempts: number) => [
    { day: DAYS[0] ?? "", attempts, hours: { 8: [0, 0, 0, attempts, 0] } },
  ];
  const report = (process: number, attempts: number) =>
    stub.reportDeliveries({
      ownerId,
      webhookId,
      process,
      days: counts(attempts),
      before: counts(100),
    });
  for (const [process, attempts] of [
    [1, 2],
    [1, 5],
    [1, 4],
    [2, 1],
    [1, 9],
    [2, 3],
  ] as const) {
    await report(process, attempts);
    await stub.flushUsage();
  }
  const found = await env.DB.prepare("SELECT invocations FROM usage WHERE emitter_id = ?")
    .bind(webhookId)
    .first();
  expect(found).toEqual({ invocations: 108 });
});
