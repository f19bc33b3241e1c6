import { INSTANCE_NOT_FOUND } from "#domain/engine-instances.ts";
import { activeShards, shardOf, shardsIn } from "#domain/shards.ts";

import type { RunTicket } from "./contract.ts";

const KEY = "engine";

/** A run as an engine is given it. */
type Instance = WorkflowInstanceCreateOptions<RunTicket> & { id: string };

/** The methods of a Cloudflare Workflows engine that a workflow uses. */
export type Engine = {
  /** Start runs; those that the engine has already stay as they are. */
  createBatch(batch: Instance[]): Promise<unknown>;
  /** Find an instance; rejects where there is none, now or when it is asked for its status. */
  get(id: string): Promise<WorkflowInstance>;
  /** Delete instances; those that there are not are errors with the code `INSTANCE_NOT_FOUND`. */
  deleteBatch(ids: string[]): Promise<WorkflowBatchDeleteResult>;
};

/** Which engine takes the runs of a workflow, and which others may still have some, by number. */
type Place = { current: number; former: number[] };

type Deps = {
  kv: SyncKvStorage;
  engines: readonly [Engine, ...Engine[]];
  /** The number of the engine that new runs belong to. */
  place: number;
  /** Whether the engine may have instances of the workflow beside so many. */
  hasMoreThan: (instances: number) => boolean;
};

/**
 * The engines of a deployment as one. A workflow has its runs begin in the engine that its id chooses among those that
 * are configured. If that number changes, it moves: runs that another engine has stay there until they end, and are
 * never begun a second time in the new one.
 */
export class EngineShards implements Engine {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Start runs; those that any engine has already stay as they are. */
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

  /** Delete instances wherever they are. Those that no engine has are errors with the code `INSTANCE_NOT_FOUND`. */
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

  /** Where runs begin now; stored when it changes, before any run begins there. */
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

/** Whether an engine has an instance. Rejects where it cannot say. */
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
