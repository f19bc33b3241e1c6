import { INSTANCE_NOT_FOUND } from "#domain/engine-instances.ts";
import type { Id } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { Engine } from "./engine-shards.ts";
import { instanceId } from "./starter.ts";

/** How long after the end of its run an instance is deleted at the latest. */
const DELETION_DELAY_MS = 5000;

/** How long the engine has to note that an instance ended, after its run said so. */
const SETTLING_MS = 1000;

/** The engine deletes no more instances in one call. */
const MAX_PER_BATCH = 100;

/** How many calls are made at once: on a busy machine each takes seconds, in which more runs end. */
const BATCHES_AT_ONCE = 10;

/** How often one alarm deletes that many. */
const MAX_ROUNDS = 5;

/** Instances that were not deleted are tried again after this, and ever later; then the engine's retention has them. */
const RETRY_DELAY_MS = 60_000;
const MAX_TRIES = 6;

type Row = { due_ms: number; run_id: string; tries: number };

/**
 * Deletes instances whose runs have ended. The history of the workflow holds all that is asked about a run, while the
 * engine bills what it stores, and a local one keeps memory, descriptors and files for each instance.
 */
export class EndedInstances {
  readonly #sql: SqlStorage;
  readonly #engine: Engine;
  readonly #workflowId: Id<"workflow">;

  constructor(sql: SqlStorage, engine: Engine, workflowId: Id<"workflow">) {
    this.#sql = sql;
    this.#engine = engine;
    this.#workflowId = workflowId;
  }

  /** Record that a run has ended, in the transaction that ends it. */
  add(runId: string): void {
    this.#insert(runId, Date.now() + DELETION_DELAY_MS, 0);
  }

  /** When the next instance is to be deleted, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return this.#rows(Number.MAX_SAFE_INTEGER, 1)[0]?.due_ms;
  }

  /** Delete the instances that are due. Never rejects: what could not be deleted is due again later. */
  async deleteDue(nowMs: number): Promise<void> {
    // An alarm that rings for something else takes those along that would be due soon.
    const untilMs = nowMs + DELETION_DELAY_MS - SETTLING_MS;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const rows = this.#rows(untilMs, MAX_PER_BATCH * BATCHES_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const left = await this.#deleteAll(rows.map(({ run_id }) => run_id));
      this.#sql.exec(
        "DELETE FROM ended_instances WHERE (due_ms, run_id) <= (?, ?)",
        last.due_ms,
        last.run_id,
      );
      for (const { run_id, tries } of rows)
        if (left.has(run_id) && tries < MAX_TRIES)
          this.#insert(run_id, nowMs + (RETRY_DELAY_MS << tries), tries + 1);
    }
  }

  /** Delete these instances and all that wait for it: the workflow is about to be erased. */
  async deleteWith(runIds: readonly string[]): Promise<void> {
    const waiting = this.#rows(Number.MAX_SAFE_INTEGER, -1).map(({ run_id }) => run_id);
    const ids = [...runIds, ...waiting];
    while (ids.length > 0) await this.#deleteAll(ids.splice(0, MAX_PER_BATCH * BATCHES_AT_ONCE));
  }

  /** Returns the runs whose instances may still be there. */
  async #deleteAll(runIds: readonly string[]): Promise<Set<string>> {
    const batches = Array.from({ length: Math.ceil(runIds.length / MAX_PER_BATCH) }, (_, index) =>
      runIds.slice(index * MAX_PER_BATCH, (index + 1) * MAX_PER_BATCH),
    );
    const left = await Promise.all(batches.map((batch) => this.#deleteBatch(batch)));
    return new Set(left.flat());
  }

  async #deleteBatch(runIds: readonly string[]): Promise<readonly string[]> {
    const byInstance = new Map(runIds.map((id) => [instanceId(this.#workflowId, id), id]));
    try {
      const { errors } = await this.#engine.deleteBatch([...byInstance.keys()]);
      const failed = errors.filter(({ code }) => code !== INSTANCE_NOT_FOUND);
      if (failed.length > 0) this.#log(failed.length, new Error(failed[0]?.message));
      return failed.flatMap(({ id }) => byInstance.get(id) ?? []);
    } catch (error) {
      this.#log(runIds.length, error);
      return runIds;
    }
  }

  #log(count: number, error: unknown): void {
    log("instances_undeleted", { workflow_id: this.#workflowId, count, error });
  }

  #insert(runId: string, dueMs: number, tries: number): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO ended_instances (due_ms, run_id, tries) VALUES (?, ?, ?)",
      dueMs,
      runId,
      tries,
    );
  }

  #rows(untilMs: number, limit: number): Row[] {
    return this.#sql
      .exec<Row>(
        "SELECT * FROM ended_instances WHERE due_ms <= ? ORDER BY due_ms, run_id LIMIT ?",
        untilMs,
        limit,
      )
      .toArray();
  }
}
