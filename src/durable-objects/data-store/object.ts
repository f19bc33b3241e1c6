import { DurableObject } from "cloudflare:workers";

import type { StoreReply, StoreRequest } from "#domain/data-store.ts";
import { Alarm } from "#durable-objects/shared/alarm.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";

import type {
  DataStoreControl,
  RecordPage,
  RecordQuery,
  RecordStretch,
  StoredRecord,
  StoreSize,
} from "./contract.ts";
import { migrate } from "./migrations.ts";
import { Records } from "./records.ts";
import { nextSweepMs, Requests } from "./requests.ts";

type Parts = { records: Records; requests: Requests; alarm: Alarm };

/** One data store: records by key that every component which was given it shares. */
export class DataStoreObject extends DurableObject<Env> implements DataStoreControl {
  // Null until opened: names that were never a store, or are no more, hold no storage.
  #parts: Parts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (isSetUp(ctx.storage)) this.#setUp();
  }

  async open(): Promise<void> {
    this.#setUp();
  }

  async perform(request: StoreRequest): Promise<StoreReply> {
    if (!this.#parts) return { ok: false, message: "the store does not exist any more" };
    return this.#parts.requests.answer(request, Date.now());
  }

  async record(key: string): Promise<StoredRecord | null> {
    return this.#parts?.records.get(key, Date.now()) ?? null;
  }

  async page(query: RecordQuery): Promise<RecordPage> {
    return this.#parts?.records.page(query, Date.now()) ?? { records: [], totalCount: 0 };
  }

  async size(): Promise<StoreSize> {
    return this.#parts?.records.size(Date.now()) ?? { records: 0, bytes: 0 };
  }

  async stretch(after: string): Promise<RecordStretch> {
    return this.#parts?.records.list(after, Date.now()) ?? { records: [], isLast: true };
  }

  async restore(records: StoredRecord[]): Promise<number | null> {
    const parts = this.#parts;
    if (!parts) return null;
    const missing = records.filter(({ key }) => !parts.records.get(key, Date.now()));
    const taken = missing.filter((record) => parts.records.put(record));
    parts.alarm.rearm();
    return taken.length === missing.length ? taken.length : null;
  }

  async remove(): Promise<void> {
    this.#parts = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async keepAlarm(): Promise<boolean> {
    return (await this.#parts?.alarm.keep()) ?? false;
  }

  override async alarm(): Promise<void> {
    this.#parts?.records.sweep(Date.now());
    this.#parts?.alarm.rearm();
  }

  #setUp(): void {
    migrate(this.ctx.storage);
    const records = new Records(this.ctx.storage);
    const alarm = new Alarm(this.ctx.storage, () => nextSweepMs(records));
    this.#parts ??= { records, alarm, requests: new Requests(records, alarm) };
  }
}
