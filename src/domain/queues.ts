import type { EmissionMessage } from "./messages.ts";
import { activeShards, shardOf, shardsIn } from "./shards.ts";

type Bindings = Pick<Env, "EMISSIONS"> & Partial<Pick<Env, "QUEUE_SHARDS">>;

/**
 * All queues of emissions, by name. Those beyond `QUEUE_SHARDS` receive no more messages, but are consumed to their
 * end.
 */
export function queuesOf(env: Bindings): Map<string, Queue<EmissionMessage>> {
  const queues = shardsIn(env, "EMISSIONS", env.EMISSIONS);
  return new Map(
    queues.map((queue, shard) => [shard === 0 ? "emissions" : `emissions-${shard}`, queue]),
  );
}

/** The queue for the messages of an emitter. */
export function queueOf(env: Bindings, emitterId: string): Queue<EmissionMessage> {
  const queues = shardsIn(env, "EMISSIONS", env.EMISSIONS);
  return queues[shardOf(emitterId, activeShards(env.QUEUE_SHARDS, queues.length))] ?? env.EMISSIONS;
}
