import { runInDurableObject } from "cloudflare:test";
import { array, assert, constantFrom, integer, nat, property, record } from "fast-check";
import { expect, test } from "vitest";

import { Usage } from "#durable-objects/workflow/usage.ts";

import { beginRun, clearRuns, deleteRunsBefore, endRun } from "../support/workflow-tables.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

/** Steps: a run begins, one of the open ones ends after so many milliseconds, which may be fewer than none, or its usage is read. */
const STEPS = array(
  record({
    kind: constantFrom("begin", "begin", "end", "end", "read", "fold", "evict", "delete"),
    at: nat(9),
    ms: integer({ min: -50, max: 20 }),
  }),
  { minLength: 20, maxLength: 120 },
);

type Step = { kind: string; at: number; ms: number };

/** The runs of a workflow and their usage, over the storage of its object. */
class World {
  readonly #storage: DurableObjectStorage;
  #usage: Usage;
  #open: number[] = [];
  #nowMs = Date.UTC(2026, 10, 25, 12);
  ended = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    clearRuns(storage);
    storage.kv.delete("usage_folded");
    this.#usage = new Usage(storage);
  }

  happen({ kind, at, ms }: Step): void {
    if (kind === "begin") this.#begin();
    else if (kind === "end") this.#end(at, ms);
    else if (kind === "read") this.#usage.unreported();
    else if (kind === "fold") this.#storage.transactionSync(() => this.#usage.fold());
    else if (kind === "evict") this.#usage = new Usage(this.#storage);
    else this.#delete();
  }

  /** All runs that are counted, as a new process reads them. */
  counted(): number {
    const days = new Usage(this.#storage).unreported();
    return days.reduce((sum, { invocations }) => sum + invocations, 0);
  }

  #begin(): void {
    this.#open.push(beginRun(this.#storage));
  }

  #end(at: number, ms: number): void {
    const [seq] = this.#open.splice(at % Math.max(1, this.#open.length), 1);
    if (seq === undefined) return;
    this.#nowMs += ms;
    endRun(this.#storage, seq, this.#usage.endedMs(this.#nowMs));
    this.ended += 1;
  }

  /** Delete the runs that ended before the first open one, as their history does. */
  #delete(): void {
    const first = Math.min(...this.#open, Number.MAX_SAFE_INTEGER);
    this.#storage.transactionSync(() => {
      this.#usage.foldBefore(first);
      deleteRunsBefore(this.#storage, first);
    });
  }
}

test("each ended run is counted once, despite folding, deletions and a clock that is set back", async () => {
  const { stub } = await deployWorkflow({
    steps: [{ name: "one", component_code: code("return 1") }],
  });
  await runInDurableObject(stub, (_, { storage }) =>
    assert(
      property(STEPS, (steps) => {
        const world = new World(storage);
        for (const step of steps) world.happen(step);
        expect(world.counted()).toBe(world.ended);
      }),
      { numRuns: 200 },
    ),
  );
});
