import { DurableObject } from "cloudflare:workers";

import type { DeliveriesReport, PayerUsage, UsageReport } from "#domain/billing.ts";
import { type Id, isId, type OwnerId } from "#domain/ids.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { Tick } from "#domain/schedule.ts";
import { copied } from "#durable-objects/shared/rpc-results.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";

import type { OwnerControl } from "./contract.ts";
import { migrate } from "./migrations.ts";
import { OwnerAlarm } from "./owner-alarm.ts";
import { RouteCache } from "./routes.ts";
import { TimerWatch } from "./timer-watch.ts";
import { UsageTables } from "./usage-tables.ts";
import { UsageBuffer } from "./usage.ts";

/** In storage of an external user's object: the payer and the project. */
const CHARGED = "charged";

/** In storage: the id of the owner, which an alarm does not contain. */
const OWNER = "owner";

type Charged = { payerId: OwnerId; projectId: Id<"project"> | null };

type Parts = { routes: RouteCache; usage: UsageBuffer; timers: TimerWatch; alarm: OwnerAlarm };

/** The rows of D1 that an owner's emitters need with every event, cached here, and their usage until it is in D1. */
export class OwnerObject extends DurableObject<Env> implements OwnerControl {
  // Null until it stores something: a guessed name must not leave storage behind.
  #parts: Parts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (isSetUp(ctx.storage)) this.#setUp();
  }

  async routes(ownerId: string, emitterIds: readonly string[]): Promise<string[]> {
    if (emitterIds.length === 0) return [];
    return this.#setUp().routes.lookUp(emitterIds, (ids) =>
      this.ctx.exports.Directory.routes(ownerId, ids),
    );
  }

  async beginRoutesChange(change: string, emitterIds: readonly string[]): Promise<void> {
    this.#setUp().routes.begin(change, emitterIds, Date.now());
  }

  async endRoutesChange(change: string, emitterIds: readonly string[]): Promise<void> {
    this.#setUp().routes.end(change, emitterIds);
  }

  async reportUsage(report: UsageReport): Promise<Allowance> {
    const { ownerId, projectId } = await this.#charged(report.ownerId);
    if (ownerId !== report.ownerId)
      return copied(
        this.env.OWNERS.getByName(ownerId).reportUsage({ ...report, ownerId, projectId }),
      );
    const usage = this.#usageOf(ownerId);
    const { timers, alarm } = this.#setUp();
    if (report.timers && report.timers.length > 0) await alarm.recall();
    const allowance = await usage.report(report);
    const checkMs = report.timers && timers.noted(report.emitterId, report.timers);
    if (checkMs !== undefined) alarm.bringForward(checkMs);
    return allowance;
  }

  async reportDeliveries(report: DeliveriesReport): Promise<void> {
    const { ownerId } = await this.#charged(report.ownerId);
    if (ownerId === report.ownerId) this.#usageOf(ownerId).reportDeliveries(report);
    else await this.env.OWNERS.getByName(ownerId).reportDeliveries({ ...report, ownerId });
  }

  async flushUsage(): Promise<void> {
    await this.#parts?.usage.flush();
  }

  async deleteOldTotals(): Promise<number> {
    return this.#parts?.usage.deleteOldTotals(Date.now()) ?? 0;
  }

  async quotasChanged(): Promise<void> {
    this.#parts?.usage.forgetQuotas();
  }

  async projectOf(ownerId: OwnerId): Promise<Id<"project"> | null> {
    return (await this.#charged(ownerId)).projectId;
  }

  async usageAdded(id: OwnerId): Promise<void> {
    const { ownerId } = await this.#charged(id);
    if (ownerId === id) this.#parts?.usage.forgetUsed();
    else await this.env.OWNERS.getByName(ownerId).usageAdded(ownerId);
  }

  async storedBytes(): Promise<number> {
    return this.#parts?.usage.storedBytes.total() ?? 0;
  }

  async reportStoredBytes(id: OwnerId, objectId: string, bytes: number): Promise<void> {
    const { ownerId } = await this.#charged(id);
    if (ownerId !== id)
      await this.env.OWNERS.getByName(ownerId).reportStoredBytes(ownerId, objectId, bytes);
    else if (bytes === 0) this.#parts?.usage.storedBytes.remove(objectId);
    else this.#usageOf(ownerId).storedBytes.record(objectId, bytes);
  }

  override async alarm(): Promise<void> {
    if (!this.#parts) return;
    const { usage, timers, alarm } = this.#parts;
    try {
      const checked = await timers.checkDue(Date.now());
      // Usage is written less often than frequent timers are checked.
      if (checked === 0 || (usage.nextDueMs() ?? Infinity) <= Date.now()) await usage.handleAlarm();
    } finally {
      alarm.rearm();
    }
  }

  #usageOf(ownerId: OwnerId): UsageBuffer {
    const { usage } = this.#setUp();
    if (this.ctx.storage.kv.get(OWNER) === undefined) this.ctx.storage.kv.put(OWNER, ownerId);
    return usage;
  }

  /** The payer and the project that usage is charged to. They never change, so they are read from D1 once. */
  async #charged(ownerId: OwnerId): Promise<{ ownerId: OwnerId; projectId: Id<"project"> | null }> {
    if (!isId("external_user", ownerId)) return { ownerId, projectId: null };
    const { storage, exports } = this.ctx;
    let charged = storage.kv.get<Charged>(CHARGED);
    if (!charged) {
      charged = await copied(exports.Metering.payerAndProject(ownerId));
      this.#setUp();
      // Nothing is stored for a missing owner: it may appear later.
      if (charged.payerId !== ownerId) storage.kv.put(CHARGED, charged);
    }
    return { ownerId: charged.payerId, projectId: charged.projectId };
  }

  #setUp() {
    if (this.#parts) return this.#parts;
    const { storage, exports } = this.ctx;
    migrate(storage);
    const payerId = (): OwnerId => {
      const owner = storage.kv.get<OwnerId>(OWNER);
      if (owner === undefined) throw new Error("No usage was reported to this object");
      return owner;
    };
    const tables = new UsageTables(storage.sql);
    const record = (usage: PayerUsage) => copied(exports.Metering.record(usage));
    const bringForward = (atMs: number): void => alarm.bringForward(atMs);
    const usage = new UsageBuffer({ storage, tables, payerId, record, bringForward });
    const timers = new TimerWatch(tables, (id) => this.#checkTimers(id));
    const alarm = new OwnerAlarm(storage, () => [usage.nextDueMs(), timers.nextDueMs()]);
    this.#parts = { routes: new RouteCache(storage), usage, timers, alarm };
    return this.#parts;
  }

  #checkTimers(id: UsageReport["emitterId"]): Promise<Tick[]> {
    const objects = isId("workflow", id) ? this.env.WORKFLOWS : this.env.SOURCES;
    return copied(objects.getByName(id).checkTimers());
  }
}
