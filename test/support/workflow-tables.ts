import { runInDurableObject } from "cloudflare:test";

type Stub = DurableObjectStub<import("#durable-objects/workflow/object.ts").WorkflowObject>;

type Row = Record<string, SqlStorageValue>;

/*
 * States of workflows that no call leaves behind: those after crashes, of earlier releases and of long histories, and what
 * only the storage shows.
 */

function run(stub: Stub, statement: string, ...bindings: (string | number)[]): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(statement, ...bindings);
  });
}

function rows(stub: Stub, statement: string): Promise<Row[]> {
  return runInDurableObject(stub, (_, { storage }) => storage.sql.exec(statement).toArray());
}

/** The runs that were deleted, with an instance that is not. */
export function undeletedInstances(stub: Stub): Promise<Row[]> {
  return rows(stub, "SELECT run_id FROM ended_instances");
}

/** Leave the instances of deleted runs, which the engine does not have either. */
export function leaveInstances(stub: Stub, count: number): Promise<void> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    for (let n = 0; n < count; n += 1)
      sql.exec("INSERT INTO ended_instances (due_ms, run_id) VALUES (?, ?)", n, `gone-${n}`);
  });
}

/** The stored versions of a workflow, as text. */
export async function storedDeployments(stub: Stub): Promise<string> {
  return JSON.stringify(await rows(stub, "SELECT * FROM deployments"));
}

/** Make the deployments of a workflow those of a release that did not store whether steps name `respond`. */
export function forgetNamesRespond(stub: Stub): Promise<void> {
  return run(
    stub,
    "UPDATE deployments SET deployment = json_remove(deployment, '$.steps[0].namesRespond')",
  );
}

/** The stored inputs of a workflow's steps. */
export function storedInputs(stub: Stub): Promise<Row[]> {
  return rows(stub, "SELECT * FROM step_inputs");
}

/** The stored resumptions of a workflow's runs. */
export function storedResumptions(stub: Stub): Promise<Row[]> {
  return rows(stub, "SELECT * FROM resumptions");
}

/** Store a resumption of each run. */
export function resumeAll(stub: Stub): Promise<void> {
  return run(stub, "INSERT INTO resumptions SELECT seq, 1, '{}' FROM runs");
}

/** Store a hundred more runs like the first one, without steps. */
export function fillHistory(stub: Stub): Promise<void> {
  return run(
    stub,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     INSERT INTO runs (id, deployment_id, source_type, hops, event, secret, state, queued_ms, ended_ms)
     SELECT 'run-' || i, deployment_id, source_type, hops, event, secret, state, queued_ms, ended_ms
     FROM n, (SELECT * FROM runs LIMIT 1)`,
  );
}

/** Give all steps of the only run these logs, and the run more steps like its second one, up to a number. */
export function lengthenRun(stub: Stub, count: number, logs: string): Promise<void> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const columns = "run_seq, number, name, started_ms, ended_ms, verdict, exports, logs";
    const values = "run_seq, ?, name, started_ms, ended_ms, verdict, exports, logs";
    sql.exec("UPDATE steps SET logs = ?", logs);
    for (let number = 3; number <= count; number += 1)
      sql.exec(
        `INSERT INTO steps (${columns}) SELECT ${values} FROM steps WHERE number = 2`,
        number,
      );
  });
}

/** Leave a run as a crash does before the engine got it. */
export function leaveRun(stub: Stub, id: string, deploymentId: string): Promise<void> {
  return run(
    stub,
    `INSERT INTO runs (id, deployment_id, source_type, hops, event, secret, state, queued_ms, check_ms)
     VALUES (?, ?, 'http', 0, '{}', 's', 'running', 0, 1)`,
    id,
    deploymentId,
  );
}

/** Make a run one of a release without versions. */
export function forgetVersion(stub: Stub, runId: string): Promise<void> {
  return run(stub, "UPDATE runs SET version = NULL WHERE id = ?", runId);
}

/** Let the time come to ask the engine about each run. */
export function makeChecksDue(stub: Stub): Promise<void> {
  return run(stub, "UPDATE runs SET check_ms = 1");
}

/** Leave the usage of one run as an earlier release has counted it. */
export function countAsBefore(stub: Stub, day: string, computeMs: number): Promise<void> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    sql.exec("UPDATE runs SET compute_ms = NULL");
    sql.exec(
      "INSERT INTO usage (day, invocations, compute_ms, credits) VALUES (?, 1, ?, 2)",
      day,
      computeMs,
    );
  });
}

/** Delete all runs and their usage. */
export function clearRuns({ sql }: DurableObjectStorage): void {
  for (const table of ["runs", "usage"]) sql.exec(`DELETE FROM ${table}`);
}

/** Begin a run. Returns its number. */
export function beginRun({ sql }: DurableObjectStorage): number {
  return sql
    .exec<{ seq: number }>(
      `INSERT INTO runs (id, deployment_id, source_type, hops, event, secret, state, queued_ms)
       VALUES (?, 'd_1', 'http', 0, '{}', '', 'running', 1) RETURNING seq`,
      crypto.randomUUID(),
    )
    .one().seq;
}

/** End a run after a millisecond of computing. */
export function endRun({ sql }: DurableObjectStorage, seq: number, endedMs: number): void {
  sql.exec(
    "UPDATE runs SET state = 'succeeded', ended_ms = ?, compute_ms = 1 WHERE seq = ?",
    endedMs,
    seq,
  );
}

/** Delete the ended runs before one. */
export function deleteRunsBefore({ sql }: DurableObjectStorage, seq: number): void {
  sql.exec("DELETE FROM runs WHERE ended_ms NOT NULL AND seq < ?", seq);
}

/** Let the messages of a workflow that wait be due. */
export function makeMessagesDue(stub: Stub): Promise<void> {
  return run(stub, "UPDATE messages SET due_ms = 0 WHERE due_ms IS NOT NULL");
}

/** Store messages of an earlier run that wait to be sent until a time. */
export function storeMessages(stub: Stub, count: number, dueMs: number): Promise<void> {
  return run(
    stub,
    `WITH RECURSIVE places (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM places WHERE n < ? - 1)
     INSERT INTO messages (run_seq, number, place, step, kind, target, bytes, hops, created_ms, due_ms)
     SELECT 1000, 1, n, 's', 'http', '', 0, 0, 0, ? FROM places`,
    count,
    dueMs,
  );
}
