import { INSTANCE_NOT_FOUND } from "#domain/engine-instances.ts";
import type { Id } from "#domain/ids.ts";
import { earliest } from "#durable-objects/shared/alarm.ts";
import { log } from "#telemetry/log.ts";

import type { Engine } from "./engine-shards.ts";
import { instanceId } from "./starter.ts";

/** Maximum delay between the end of a run and the deletion of its instance. */
const DELETION_DELAY_MS = 5000;

/** Time that the engine needs to record the end of an instance, after its run reported it. */
const SETTLING_MS = 1000;

/** Maximum instances that the engine deletes in one call. */
const MAX_PER_BATCH = 100;

/** Number of concurrent calls: on a busy machine each takes seconds, in which more runs end. */
const BATCHES_AT_ONCE = 10;

/** Maximum rounds of such calls of one alarm. */
const MAX_ROUNDS = 5;

/**
 * First delay of a retry for instances that were not deleted; it grows, and in the end the engine's retention deletes
 * them.
 */
const RETRY_DELAY_MS = 60_000;
const MAX_TRIES = 6;

/** The last run, in order of their ends, with a deleted instance: one row for all of an alarm. */
const DELETED = "instances_deleted";

type Mark = { endedMs: number; seq: number };

const START: Mark = { endedMs: 0, seq: 0 };

type Row = { due_ms: number; run_id: string; tries: number };

type EndedRun = { seq: number; id: string; ended_ms: number };

/**
 * Deletes the instances of ended runs. The history of the workflow contains everything that can be queried about a run,
 * while the engine bills its storage, and a local one keeps memory, descriptors and files for each instance.
 */
export class EndedInstances {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #engine: Engine;
  readonly #workflowId: Id<"workflow">;

  constructor(storage: DurableObjectStorage, engine: Engine, workflowId: Id<"workflow">) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#engine = engine;
    this.#workflowId = workflowId;
  }

  /** The time to delete the instance of a run that ended at `endedMs`, epoch milliseconds. */
  dueMs(endedMs: number): number {
    return endedMs + DELETION_DELAY_MS;
  }

  /** The time of the next deletion, epoch milliseconds. */
  nextDueMs(): number | undefined {
    const [run] = this.#runs(Number.MAX_SAFE_INTEGER, 1);
    const [row] = this.#rows(Number.MAX_SAFE_INTEGER, 1);
    return earliest(run && this.dueMs(run.ended_ms), row?.due_ms);
  }

  /** Runs before one are about to be deleted: record those with instances that are not deleted yet. */
  keepBefore(seq: number): void {
    const { endedMs, seq: last } = this.#deleted();
    this.#sql.exec(
      `INSERT OR IGNORE INTO ended_instances (due_ms, run_id, tries)
       SELECT ended_ms + ?, id, 0 FROM runs
       WHERE seq < ? AND started_ms NOT NULL AND (ended_ms, seq) > (?, ?)`,
      DELETION_DELAY_MS,
      seq,
      endedMs,
      last,
    );
  }

  /** Delete the due instances. Never rejects: failed deletions are due again later. */
  async deleteDue(nowMs: number): Promise<void> {
    await this.#deleteKept(nowMs);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // An alarm for another reason also deletes instances that would be due soon.
      const runs = this.#runs(nowMs - SETTLING_MS, MAX_PER_BATCH * BATCHES_AT_ONCE);
      const last = runs.at(-1);
      if (!last) return;
      const left = await this.#deleteAll(runs.map(({ id }) => id));
      this.#storage.transactionSync(() => {
        this.#storage.kv.put<Mark>(DELETED, { endedMs: last.ended_ms, seq: last.seq });
        for (const id of left) this.#insert(id, nowMs + RETRY_DELAY_MS, 1);
      });
    }
  }

  async #deleteKept(nowMs: number): Promise<void> {
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

  /** Delete these instances and all pending ones: the workflow is about to be erased. */
  async deleteWith(runIds: readonly string[]): Promise<void> {
    const kept = this.#rows(Number.MAX_SAFE_INTEGER, -1).map(({ run_id }) => run_id);
    const ended = this.#runs(Number.MAX_SAFE_INTEGER, -1).map(({ id }) => id);
    const ids = [...runIds, ...kept, ...ended];
    while (ids.length > 0) await this.#deleteAll(ids.splice(0, MAX_PER_BATCH * BATCHES_AT_ONCE));
  }

  /** Returns the runs with instances that may still exist. */
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

  #deleted(): Mark {
    return this.#storage.kv.get<Mark>(DELETED) ?? START;
  }

  /** Runs that ended up to a time and whose instances are not deleted yet, in order of their ends. */
  #runs(untilMs: number, limit: number): EndedRun[] {
    const { endedMs, seq } = this.#deleted();
    return this.#sql
      .exec<EndedRun>(
        `SELECT seq, id, ended_ms FROM runs
         WHERE started_ms NOT NULL AND (ended_ms, seq) > (?, ?) AND ended_ms <= ?
         ORDER BY ended_ms, seq LIMIT ?`,
        endedMs,
        seq,
        untilMs,
        limit,
      )
      .toArray();
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
