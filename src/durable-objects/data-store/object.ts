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
import { SizeReport } from "./size-report.ts";

type DataStore = { records: Records; requests: Requests; alarm: Alarm; size: SizeReport };

/** One data store: records by key, shared by all components that have it as a prop. */
export class DataStoreObject extends DurableObject<Env> implements DataStoreControl {
  // Null until opened: names that were never a store, or of a deleted one, have no storage.
  #store: DataStore | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (isSetUp(ctx.storage)) this.#setUp();
  }

  async open(): Promise<void> {
    this.#setUp();
  }

  async perform(request: StoreRequest): Promise<StoreReply> {
    if (!this.#store) return { ok: false, message: "the store does not exist any more" };
    const reply = this.#store.requests.perform(request, Date.now());
    this.ctx.waitUntil(this.#store.size.send());
    return reply;
  }

  async record(key: string): Promise<StoredRecord | null> {
    return this.#store?.records.get(key, Date.now()) ?? null;
  }

  async page(query: RecordQuery): Promise<RecordPage> {
    return this.#store?.records.page(query, Date.now()) ?? { records: [], totalCount: 0 };
  }

  async size(): Promise<StoreSize> {
    return this.#store?.records.size(Date.now()) ?? { records: 0, bytes: 0 };
  }

  async stretch(after: string): Promise<RecordStretch> {
    return this.#store?.records.list(after, Date.now()) ?? { records: [], isLast: true };
  }

  async restore(records: StoredRecord[]): Promise<number | null> {
    const store = this.#store;
    if (!store) return null;
    const missing = records.filter(({ key }) => !store.records.get(key, Date.now()));
    const taken = missing.filter((record) => store.records.put(record));
    store.alarm.rearm();
    return taken.length === missing.length ? taken.length : null;
  }

  async remove(): Promise<void> {
    await this.#store?.size.erase();
    this.#store = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async keepAlarm(): Promise<boolean> {
    return (await this.#store?.alarm.keep()) ?? false;
  }

  override async alarm(): Promise<void> {
    this.#store?.records.sweep(Date.now());
    await this.#store?.size.send();
    this.#store?.alarm.rearm();
  }

  #setUp(): void {
    migrate(this.ctx.storage);
    const records = new Records(this.ctx.storage);
    const alarm = new Alarm(this.ctx.storage, () => nextSweepMs(records));
    const size = new SizeReport({
      name: this.ctx.id.name,
      storage: this.ctx.storage,
      ownerOf: (id) => this.ctx.exports.Metering.ownerOfDataStore(id),
      report: (ownerId, id, bytes) =>
        this.env.OWNERS.getByName(ownerId).reportStoredBytes(ownerId, id, bytes),
    });
    this.#store ??= { records, alarm, size, requests: new Requests(records, alarm) };
  }
}
