const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/**
 * All shards of a binding, in order: the binding itself, and its bound siblings `NAME_1`, `NAME_2` … `first` is the
 * binding itself, which every deployment has.
 */
export function shardsIn<T extends object>(env: object, name: string, first: T): T[] {
  const shards = [first];
  for (;;) {
    const next: T | undefined = Reflect.get(env, `${name}_${shards.length}`);
    if (next === undefined) return shards;
    shards.push(next);
  }
}

/** The number of bound shards that accept new work, by a setting: at least one, and at most all. */
export function activeShards(setting: string | undefined, bound: number): number {
  const wanted = Number(setting);
  return Number.isInteger(wanted) && wanted >= 1 ? Math.min(wanted, bound) : 1;
}

/**
 * The shard of an id among `count`, from 0 on. Rendezvous hashing: if a shard is added to `n`, one id of `n + 1` moves,
 * and moves to the new shard; if the last one is removed, only its own ids move.
 */
export function shardOf(id: string, count: number): number {
  let [best, bestWeight] = [0, -1];
  for (let shard = 0; shard < count; shard += 1) {
    const weight = hash32(`${shard} ${id}`);
    if (weight > bestWeight) [best, bestWeight] = [shard, weight];
  }
  return best;
}

/** FNV-1a, with the finalizer of MurmurHash3, without which similar ids get similar weights. */
function hash32(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
