import { INSTANCE_NOT_FOUND } from "#domain/engine-instances.ts";
import type { Id } from "#domain/ids.ts";
import { earliest } from "#durable-objects/shared/alarm.ts";
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

/** Up to which run, in the order in which they ended, instances are deleted: one row for all of an alarm. */
const DELETED = "instances_deleted";

type Mark = { endedMs: number; seq: number };

const START: Mark = { endedMs: 0, seq: 0 };

type Row = { due_ms: number; run_id: string; tries: number };

type EndedRun = { seq: number; id: string; ended_ms: number };

/**
 * Deletes instances whose runs have ended. The history of the workflow holds all that is asked about a run, while the
 * engine bills its storage, and a local one keeps memory, descriptors and files for each instance.
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

  /** When the instance of a run is to be deleted that ended at `endedMs`, epoch milliseconds. */
  dueMs(endedMs: number): number {
    return endedMs + DELETION_DELAY_MS;
  }

  /** When the next instance is to be deleted, epoch milliseconds. */
  nextDueMs(): number | undefined {
    const [run] = this.#runs(Number.MAX_SAFE_INTEGER, 1);
    const [row] = this.#rows(Number.MAX_SAFE_INTEGER, 1);
    return earliest(run && this.dueMs(run.ended_ms), row?.due_ms);
  }

  /** Runs before one are about to be forgotten: keep those in mind whose instances are not deleted yet. */
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

  /** Delete the instances that are due. Never rejects: those that could not be deleted are due again later. */
  async deleteDue(nowMs: number): Promise<void> {
    await this.#deleteKept(nowMs);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // An alarm that rings for something else takes those along that would be due soon.
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

  /** Delete these instances and all that wait for it: the workflow is about to be erased. */
  async deleteWith(runIds: readonly string[]): Promise<void> {
    const kept = this.#rows(Number.MAX_SAFE_INTEGER, -1).map(({ run_id }) => run_id);
    const ended = this.#runs(Number.MAX_SAFE_INTEGER, -1).map(({ id }) => id);
    const ids = [...runIds, ...kept, ...ended];
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

  #deleted(): Mark {
    return this.#storage.kv.get<Mark>(DELETED) ?? START;
  }

  /** Runs that ended up to a time and whose instances are not deleted yet, in the order in which they ended. */
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
