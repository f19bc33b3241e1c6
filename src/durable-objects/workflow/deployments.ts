import type { Id } from "#domain/ids.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";

import type { WorkflowDeployment } from "./contract.ts";

const CURRENT = "current";

/** `activeSinceMs`: the millisecond of its activation; absent if an earlier release activated it. */
type Current = { id: Id<"deployment">; active: boolean; activeSinceMs?: number | undefined };

/** The versions of a workflow that are in use, and the one that new runs begin with. */
export class Deployments {
  readonly #storage: DurableObjectStorage;
  readonly #known = new Map<string, WorkflowDeployment>();

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Let new runs begin with this deployment, unless a later one is there. Deletes those that no run uses. */
  put(deployment: WorkflowDeployment, active: boolean): boolean {
    const { id, deployedMs = 0 } = deployment;
    if (deployedMs < (this.current()?.deployedMs ?? 0)) return false;
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        "INSERT OR REPLACE INTO deployments (id, deployment) VALUES (?, ?)",
        id,
        toJson(deployment),
      );
      const former = this.#storage.kv.get<Current>(CURRENT);
      const activeSinceMs = former?.active ? former.activeSinceMs : Date.now();
      this.#storage.kv.put<Current>(CURRENT, { id, active, activeSinceMs });
      this.#storage.sql.exec(
        "DELETE FROM deployments WHERE id <> ? AND id NOT IN (SELECT deployment_id FROM runs WHERE ended_ms IS NULL)",
        id,
      );
    });
    this.#known.set(id, deployment);
    return true;
  }

  current(): WorkflowDeployment | undefined {
    const current = this.#storage.kv.get<Current>(CURRENT);
    return current && this.byId(current.id);
  }

  isActive(): boolean {
    return this.#storage.kv.get<Current>(CURRENT)?.active ?? false;
  }

  /** The millisecond of its activation; undefined if an earlier release activated it. */
  activeSinceMs(): number | undefined {
    return this.#storage.kv.get<Current>(CURRENT)?.activeSinceMs;
  }

  byId(id: string): WorkflowDeployment | undefined {
    const known = this.#known.get(id) ?? this.#read(id);
    if (known) this.#known.set(id, known);
    return known;
  }

  /** Every version that is in use. */
  all(): WorkflowDeployment[] {
    const rows = this.#storage.sql.exec<{ id: string }>("SELECT id FROM deployments").toArray();
    return rows.flatMap(({ id }) => this.byId(id) ?? []);
  }

  /** The version of new runs, and those of runs that have not ended. */
  inUse(): WorkflowDeployment[] {
    const current = this.current();
    const rows = this.#storage.sql
      .exec<{ id: string }>(
        "SELECT DISTINCT deployment_id AS id FROM runs WHERE ended_ms IS NULL AND deployment_id <> ?",
        current?.id ?? "",
      )
      .toArray();
    const older = rows.flatMap(({ id }) => this.byId(id) ?? []);
    return current ? [current, ...older] : older;
  }

  /** Replace the sealed secrets of a version, if it still exists. */
  reseal(deployment: WorkflowDeployment): void {
    const { id } = deployment;
    this.#storage.sql.exec(
      "UPDATE deployments SET deployment = ? WHERE id = ?",
      toJson(deployment),
      id,
    );
    this.#known.set(id, deployment);
  }

  #read(id: string): WorkflowDeployment | undefined {
    const [row] = this.#storage.sql
      .exec<{ deployment: JsonOf<WorkflowDeployment> }>(
        "SELECT deployment FROM deployments WHERE id = ?",
        id,
      )
      .toArray();
    return row && fromJson(row.deployment);
  }
}
