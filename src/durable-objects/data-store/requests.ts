import {
  problemOfKey,
  problemOfRecord,
  problemOfTtl,
  type StoreReply,
  type StoreRequest,
} from "#domain/data-store.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";

import type { Records } from "./records.ts";

/** Records that expire within this time of each other are deleted together; readers see no difference. */
const SWEEP_DELAY_MS = 5000;

const FULL = "the store is full: it may hold at most 1 GB; delete records or give them a ttl";

type Request<Op extends StoreRequest["op"]> = Extract<StoreRequest, { op: Op }>;

/** Handles requests of components to a data store. */
export class Requests {
  readonly #records: Records;
  readonly #alarm: Alarm;

  constructor(records: Records, alarm: Alarm) {
    this.#records = records;
    this.#alarm = alarm;
  }

  perform(request: StoreRequest, nowMs: number): StoreReply {
    switch (request.op) {
      case "get":
        return this.#get(request.key, nowMs);
      case "has":
        return { ok: true, found: this.#records.get(request.key, nowMs) !== undefined };
      case "set":
        return this.#set(request, nowMs);
      case "set_ttl":
        return this.#setTtl(request, nowMs);
      case "delete":
        return { ok: true, found: this.#records.delete(request.key, nowMs) };
      case "clear":
        this.#records.clear();
        return { ok: true, found: true };
      case "list":
        return this.#list(request, nowMs);
    }
  }

  #get(key: string, nowMs: number): StoreReply {
    const record = this.#records.get(key, nowMs);
    return record ? { ok: true, found: true, value: record.value } : { ok: true, found: false };
  }

  #set({ key, value, ttl }: Request<"set">, updatedAtMs: number): StoreReply {
    const problem = problemOfKey(key) ?? problemOfRecord(key, value) ?? problemOfTtl(ttl);
    if (problem !== undefined) return { ok: false, message: problem };
    const expiresAtMs = expiryOf(ttl, updatedAtMs);
    if (!this.#records.put({ key, value, updatedAtMs, expiresAtMs }))
      return { ok: false, message: FULL };
    this.#sweepAfter(expiresAtMs);
    return { ok: true, found: true };
  }

  #setTtl({ key, ttl }: Request<"set_ttl">, nowMs: number): StoreReply {
    const problem = problemOfTtl(ttl);
    if (problem !== undefined) return { ok: false, message: problem };
    const expiresAtMs = expiryOf(ttl, nowMs);
    const found = this.#records.setExpiry(key, expiresAtMs, nowMs);
    if (found) this.#sweepAfter(expiresAtMs);
    return { ok: true, found };
  }

  #list({ after, keysOnly }: Request<"list">, nowMs: number): StoreReply {
    const { records, isLast } = keysOnly
      ? this.#records.keys(after, nowMs)
      : this.#records.list(after, nowMs);
    return { ok: true, records, isLast };
  }

  #sweepAfter(expiresAtMs: number | null): void {
    if (expiresAtMs !== null) this.#alarm.arm(expiresAtMs + SWEEP_DELAY_MS);
  }
}

/** The time of the next sweep, epoch milliseconds. */
export function nextSweepMs(records: Records): number | undefined {
  const expiryMs = records.nextExpiryMs();
  return expiryMs === undefined ? undefined : Math.max(expiryMs, Date.now()) + SWEEP_DELAY_MS;
}

function expiryOf(ttl: number | null, nowMs: number): number | null {
  return ttl === null ? null : nowMs + Math.ceil(ttl * 1000);
}
