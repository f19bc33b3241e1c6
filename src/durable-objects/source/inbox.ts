import type { Starts } from "./crashes.ts";

/** Age of an event in the inbox at which the alarm recovers it. */
export const RECOVERY_DELAY_MS = 10_000;

/** An acknowledged event with an uncommitted run. */
export type Entry = Starts & {
  seq: number;
  event: string;
  hops: number;
  /** Null: the budget of a new trigger. */
  budget: number | null;
  /** Null before the run has an id. */
  run_id: string | null;
  /** The id of the first request or tick. */
  request_id: string | null;
};

type Particulars = {
  /** The number of started attempts. */
  attempts: number;
  /** Whether another version of the platform may have started them; else this one did. */
  isForeign?: boolean;
  hops?: number | undefined;
  budget?: number | undefined;
  /** The timer prop of the tick. */
  timer?: string;
  runId?: string | undefined;
  requestId?: string | undefined;
};

/** Acknowledged events of a source with pending runs. */
export class Inbox {
  readonly #sql: SqlStorage;
  readonly #version: string;

  /** `version`: of the platform's code; on a machine of one's own, of the start of its process. */
  constructor(sql: SqlStorage, version: string) {
    this.#sql = sql;
    this.#version = version;
  }

  /** Store an event. */
  put(event: string, particulars: Particulars): number {
    const { attempts, hops = 0, budget, timer, runId, requestId, isForeign = false } = particulars;
    return this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO inbox (event, timer, hops, budget, attempts, version, run_id, request_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
        event,
        timer ?? null,
        hops,
        budget ?? null,
        attempts,
        isForeign ? null : this.#version,
        runId ?? null,
        requestId ?? null,
      )
      .one().seq;
  }

  /**
   * Count an attempt before it starts, so that attempts that crash are counted too. One that another version of the
   * platform started was interrupted by its end.
   */
  begin(seq: number): void {
    this.#sql.exec(
      `UPDATE inbox SET
         attempts = attempts + 1 - (attempts > 0 AND version IS NOT ?2),
         interrupted = interrupted + (attempts > 0 AND version IS NOT ?2),
         version = ?2
       WHERE seq = ?1`,
      seq,
      this.#version,
    );
  }

  entry(seq: number): Entry | undefined {
    return this.#sql
      .exec<Entry>(
        `SELECT seq, event, hops, budget, attempts, interrupted, run_id, request_id
         FROM inbox WHERE seq = ?`,
        seq,
      )
      .toArray()[0];
  }

  remove(seq: number): void {
    this.#sql.exec("DELETE FROM inbox WHERE seq = ?", seq);
  }

  /** Waiting events in order of arrival. `bytes`: the maximum size of each in a call. */
  waiting(): { seq: number; bytes: number; attempts: number }[] {
    return this.#sql
      .exec<{ seq: number; bytes: number; attempts: number }>(
        "SELECT seq, octet_length(event) * 2 AS bytes, attempts FROM inbox ORDER BY seq",
      )
      .toArray();
  }

  /** Whether an event waits. */
  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM inbox LIMIT 1").toArray().length === 0;
  }

  /** Whether a tick of this timer prop still waits or runs. */
  holdsTick(timer: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM inbox WHERE timer = ? LIMIT 1", timer).toArray().length > 0
    );
  }
}
