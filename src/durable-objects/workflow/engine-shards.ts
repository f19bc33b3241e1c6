import { INSTANCE_NOT_FOUND } from "#domain/engine-instances.ts";
import { activeShards, shardOf, shardsIn } from "#domain/shards.ts";

import type { RunTicket } from "./contract.ts";

const KEY = "engine";

/** A run as the engine accepts it. */
type Instance = WorkflowInstanceCreateOptions<RunTicket> & { id: string };

/** The methods of a Cloudflare Workflows engine that a workflow uses. */
export type Engine = {
  /** Start runs; those that the engine has already stay unchanged. */
  createBatch(batch: Instance[]): Promise<unknown>;
  /** Find an instance; rejects if there is none, now or on a query of its status. */
  get(id: string): Promise<WorkflowInstance>;
  /** Delete instances; missing ones are errors with the code `INSTANCE_NOT_FOUND`. */
  deleteBatch(ids: string[]): Promise<WorkflowBatchDeleteResult>;
};

/** The engine for new runs of a workflow, and others that may still have some, by number. */
type Place = { current: number; former: number[] };

type Deps = {
  kv: SyncKvStorage;
  engines: readonly [Engine, ...Engine[]];
  /** The number of the engine for new runs. */
  place: number;
  /** Whether the engine may have more instances of the workflow than this many. */
  hasMoreThan: (instances: number) => boolean;
};

/**
 * The engines of a deployment as one. The id of a workflow selects one of the configured engines for its new runs. If
 * the number of engines changes, the workflow moves: runs of another engine stay there until they end, and are never
 * begun a second time in the new one.
 */
export class EngineShards implements Engine {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Start runs; those that any engine has already stay unchanged. */
  async createBatch(batch: Instance[]): Promise<void> {
    const { current, former } = this.#place();
    const there = await Promise.all(batch.map(({ id }) => this.#isIn(former, id)));
    const missing = batch.filter((_, index) => !there[index]);
    if (former.length > 0 && missing.length === batch.length) this.#forget(batch.length);
    if (missing.length > 0) await this.#engine(current).createBatch(missing);
  }

  /** Find an instance in the engine that has it. If none has, the current one rejects. */
  async get(id: string): Promise<WorkflowInstance> {
    const { current, former } = this.#place();
    for (const number of former)
      if (await this.#isIn([number], id)) return this.#engine(number).get(id);
    return this.#engine(current).get(id);
  }

  /** Delete instances in all engines. Missing ones are errors with the code `INSTANCE_NOT_FOUND`. */
  async deleteBatch(ids: string[]): Promise<WorkflowBatchDeleteResult> {
    const { current, former } = this.#place();
    const deleted: WorkflowBatchDeleteResult["deleted"] = [];
    const errors: WorkflowBatchDeleteResult["errors"] = [];
    let missing = ids.map((id) => ({ id, code: INSTANCE_NOT_FOUND, message: "" }));
    for (const number of [current, ...former]) {
      if (missing.length === 0) break;
      const result = await this.#engine(number).deleteBatch(missing.map(({ id }) => id));
      deleted.push(...result.deleted);
      errors.push(...result.errors.filter((error) => !isNotFound(error)));
      missing = result.errors.filter(isNotFound);
    }
    return { deleted, errors: [...errors, ...missing] };
  }

  /** The place for new runs; stored when it changes, before any run begins there. */
  #place(): Place {
    const { kv, place } = this.#deps;
    const known = kv.get<Place>(KEY) ?? { current: 0, former: [] };
    if (known.current === place) return this.#bound(known);
    const former = [...new Set([...known.former, known.current])].filter((each) => each !== place);
    const moved = { current: place, former };
    kv.put(KEY, moved);
    return this.#bound(moved);
  }

  #bound({ current, former }: Place): Place {
    return { current, former: former.filter((number) => number < this.#deps.engines.length) };
  }

  /** No former engine has any of the runs that begin now: if there are no others, no former engine has a run at all. */
  #forget(beginning: number): void {
    const { kv, hasMoreThan, place } = this.#deps;
    if (!hasMoreThan(beginning)) kv.put<Place>(KEY, { current: place, former: [] });
  }

  async #isIn(numbers: readonly number[], id: string): Promise<boolean> {
    for (const number of numbers) if (await isKnown(this.#engine(number), id)) return true;
    return false;
  }

  #engine(number: number): Engine {
    return this.#deps.engines[number] ?? this.#deps.engines[0];
  }
}

function isNotFound({ code }: { code: number }): boolean {
  return code === INSTANCE_NOT_FOUND;
}

/** Whether an engine has an instance. Rejects if the engine does not know. */
async function isKnown(engine: Engine, id: string): Promise<boolean> {
  try {
    const instance = await engine.get(id);
    await instance.status();
    return true;
  } catch (error) {
    if (error instanceof Error && /not.?found/i.test(error.message)) return false;
    throw error;
  }
}

/** The engines of a deployment, and the number of the one in which new runs of a workflow begin. */
export function enginesOf(
  env: Pick<Env, "RUNS" | "WORKFLOW_SHARDS">,
  workflowId: string,
): Pick<Deps, "engines" | "place"> {
  const [first, ...others] = shardsIn<Engine>(env, "RUNS", env.RUNS);
  const count = activeShards(env.WORKFLOW_SHARDS, others.length + 1);
  return { engines: [first ?? env.RUNS, ...others], place: shardOf(workflowId, count) };
}
