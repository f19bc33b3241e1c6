import { DurableObject } from "cloudflare:workers";

import type { DayUsage } from "#domain/billing.ts";
import type { Claim, Delivery } from "#domain/deliveries.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EventPage, EventPart, EventQuery, EventRange, EventSummary } from "#domain/events.ts";
import { newFailure } from "#domain/invocation.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { Tick } from "#domain/schedule.ts";
import type { ShardRuns } from "#domain/shard-alerts.ts";
import type { Shard } from "#domain/source-shards.ts";
import { checkTimers } from "#durable-objects/emitter/check-timers.ts";
import { feedOf, feedUrl, streamTo } from "#durable-objects/emitter/follow.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";
import type { Incoming } from "#http/requests.ts";
import type { HttpResponse } from "#http/responses.ts";
import { openVault } from "#vault/vault.ts";

import { handleAlarm } from "./alarm-handler.ts";
import type {
  Current,
  Deployment,
  HooksResult,
  RunOrder,
  ManualRunResult,
  Snapshot,
  SourceControl,
  StatePage,
  StateQuery,
} from "./contract.ts";
import { depsOf } from "./deps.ts";
import { migrate } from "./migrations.ts";
import { newJob } from "./queue.ts";
import { responseTo } from "./response.ts";
import { rewrapSecrets } from "./secrets.ts";
import type { EventWindow, OwnControl, ShardControl, ShardOrder } from "./shard-contract.ts";
import { readState } from "./state.ts";
import { createSource, type WiredSource } from "./wiring.ts";

const REMOVED = newFailure("Removed", "The source was removed meanwhile");

/** One deployed source: its code, state, timers, dedupe memory, events, inbox and outbox. */
export class SourceObject extends DurableObject<Env> implements SourceControl, OwnControl {
  // Null while nothing is deployed: unknown and deleted names have no storage.
  #source: WiredSource | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (!isSetUp(ctx.storage)) return;
    const source = this.#setUp();
    void ctx.blockConcurrencyWhile(() => source.alarm.recall());
    void this.#recover(source);
  }

  async deploy(deployment: Deployment, requestId?: string): Promise<HooksResult> {
    const source = this.#setUp();
    source.outbox.hold();
    const creation = source.lifecycle.create(deployment, requestId);
    const [result] = await Promise.all([creation, source.meter.reload()]);
    if (this.#source !== source) return { ok: false, hook: "deploy", failure: REMOVED };
    if (!result.ok) {
      await this.#erase(source);
      return result;
    }
    await source.siblings.deploy();
    source.alarm.rearm();
    return result;
  }

  async update(deployment: Deployment, active: boolean, requestId?: string): Promise<HooksResult> {
    const source = this.#source;
    if (!source) throw new Error(`Source ${this.ctx.id.name} was updated before it was deployed`);
    const result = await source.lifecycle.update(deployment, active, requestId);
    await source.siblings.deploy();
    source.alarm.rearm();
    return result.ok && source.siblings.isBehind() ? { ok: true, isBehind: true } : result;
  }

  async remove(requestId?: string): Promise<void> {
    const source = this.#source;
    if (!source) return;
    if (!source.role) {
      source.timers.stop();
      await source.lifecycle.deactivate(requestId);
      // First, because this object knows them.
      await source.siblings.remove(requestId);
    }
    await this.#erase(source);
  }

  async current(): Promise<JsonOf<Current> | null> {
    const settled = this.#source?.deployments.settled();
    return settled ? toJson(settled) : null;
  }

  async snapshot(): Promise<JsonOf<Snapshot> | null> {
    const settled = this.#source?.deployments.settled();
    if (!this.#source || !settled) return null;
    const { dedupe } = settled.deployment;
    const remembered = dedupe ? this.#source.dedupeMemory.kept(dedupe) : [];
    return toJson({ ...settled, db: this.#source.serviceDb.all(), remembered });
  }

  async restore(snapshot: JsonOf<Snapshot>): Promise<boolean> {
    if (this.#source?.deployments.current()) return false;
    const { lifecycle, serviceDb, dedupeMemory, meter, alarm, siblings } = this.#setUp();
    const { db, remembered = [], ...kept } = fromJson(snapshot);
    const { dedupe } = kept.deployment;
    serviceDb.write(db);
    if (dedupe) dedupeMemory.restore(dedupe, remembered);
    await Promise.all([lifecycle.revive(kept), meter.reload()]);
    await siblings.deploy();
    alarm.rearm();
    return true;
  }

  /** Refresh the owner's quotas now, not with the next report. */
  async refreshQuotas(): Promise<void> {
    await this.#source?.meter.reload();
    this.#source?.runner.resume();
    await Promise.all(this.#others().map((one) => one.refreshQuotas()));
  }

  async checkAccounts(): Promise<void> {
    this.#source?.accountWatch.request();
    this.#source?.alarm.rearm();
  }

  async rewrap(): Promise<boolean> {
    return !this.#source || rewrapSecrets(this.#source, openVault(this.env));
  }

  /** Handle a request to one of the source's endpoints. */
  async answer(incoming: Incoming): Promise<HttpResponse> {
    return responseTo(incoming, this.#source, this.ctx.id.name);
  }

  /** A stream of its events, for the API. */
  override async fetch(request: Request): Promise<Response> {
    const feeds = await Promise.all(
      this.#others().map(async (one, index) => {
        const shard = index + 1;
        return feedOf(await one.fetch(feedUrl(request.url, shard)), shard);
      }),
    );
    return streamTo(request, this.#source, feeds);
  }

  async run(order: RunOrder): Promise<ManualRunResult> {
    return (await this.#source?.manualRuns.run(order)) ?? { ok: false, reason: "inactive" };
  }

  async events(query: EventQuery): Promise<EventPage> {
    return (await this.#source?.allShards.page(query)) ?? { events: [], rest: [], totalCount: 0 };
  }

  async eventsAt(ids: string[], expand: boolean, maxBytes?: number): Promise<EventPart> {
    return (await this.#source?.allShards.part(ids, expand, maxBytes)) ?? { events: [], rest: [] };
  }

  async state(query: StateQuery): Promise<StatePage | null> {
    return this.#source && readState(this.#source, query);
  }

  async replay(id: string, requestId?: string): Promise<EventSummary | null> {
    return (await this.#source?.allShards.replay(id, requestId)) ?? null;
  }

  async deleteEvents(range: EventRange): Promise<void> {
    await this.#source?.allShards.hide(range);
  }

  async follow(order: JsonOf<ShardOrder>): Promise<void> {
    const source = this.#setUp();
    source.role?.follow(fromJson(order));
    await source.meter.reload();
    source.alarm.rearm();
  }

  async window(channel: string | undefined, upTo: Position): Promise<EventWindow> {
    return this.#source?.role?.window(channel, upTo) ?? { positions: [], newest: 0 };
  }

  async reportShard(shard: Shard, days: JsonOf<DayUsage[]>): Promise<Allowance> {
    const source = this.#source;
    if (!source) return null;
    source.usage.addShard(shard, fromJson(days), Date.now());
    if (source.meter.isLimited()) return source.meter.reportAll();
    if (source.usage.hasUnreported()) source.alarm.arm(source.meter.relay());
    return null;
  }

  async reportShardRuns(shard: Shard, runs: JsonOf<ShardRuns>): Promise<void> {
    this.#source?.shardAlerts.receive(shard, fromJson(runs));
    this.#source?.alarm.arm(Date.now());
  }

  async lastSuccessMs(): Promise<number> {
    return this.#source?.shardAlerts.lastSuccessMs() ?? 0;
  }

  /** Send events of the outbox to the router. Null if nothing is deployed here any more. */
  async claim(positions: Position[], maxBytes?: number): Promise<Claim | null> {
    return this.#source?.history.claim(positions, maxBytes) ?? null;
  }

  /** Receive events of other emitters. False: there is no room for them now. */
  async receive(deliveries: Delivery[]): Promise<boolean> {
    return this.#source ? this.#source.listener.receive(deliveries) : true;
  }

  /** Remove events from the outbox that every listener has; `hasSubscribers`: whether there are any listeners. */
  async acknowledge(positions: Position[], hasSubscribers: boolean): Promise<void> {
    this.#source?.history.acknowledgements.acknowledge(positions);
    this.#source?.outbox.setHasSubscribers(hasSubscribers);
  }

  async checkTimers(): Promise<Tick[]> {
    const source = this.#source;
    if (!source) return [];
    const { committer, publisher } = source;
    return checkTimers(source, (decide) => publisher.publish(committer.alert(decide)));
  }

  async keepAlarm(): Promise<boolean> {
    const kept = await Promise.all([
      this.#source?.alarm.keep(),
      ...this.#others().map((one) => one.keepAlarm()),
    ]);
    return kept.some(Boolean);
  }

  async recover(): Promise<void> {
    // Events of an abandoned create's hooks must not be delivered.
    if (this.#source && !this.#source.lifecycle.isAbandonedCreate())
      await handleAlarm(this.#source, { redeliveryDelayMs: 0, isRetry: true });
    await Promise.all(this.#others().map((one) => one.recover()));
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    if (!this.#source) return;
    // A create that crashed was never acknowledged.
    if (this.#source.lifecycle.isAbandonedCreate()) return this.remove();
    this.#source.alarm.handling();
    await handleAlarm(this.#source, { isRetry: (info?.retryCount ?? 0) > 0 });
  }

  #setUp(): WiredSource {
    migrate(this.ctx.storage);
    this.#source ??= createSource(depsOf(this.ctx, this.env));
    return this.#source;
  }

  /** The other shards of the source, if this is its own object. */
  #others(): ShardControl[] {
    return this.#source?.siblings.all() ?? [];
  }

  /** Resume after a crash: run every acknowledged event. */
  async #recover({ inbox, runner, meter }: WiredSource): Promise<void> {
    if (meter.isLimited()) await meter.refresh();
    if (this.#source === null) return;
    for (const { seq, bytes, attempts } of inbox.waiting())
      void runner.submit({
        ...newJob({ seq, bytes }, { trigger: "recovery" }),
        isSuspect: attempts > 0,
      });
  }

  async #erase(source: WiredSource): Promise<void> {
    // No run is committed after this, so the report is complete.
    source.deployments.clear();
    await source.meter.close();
    source.telemetry.flush();
    source.streams.close();
    source.history.acknowledgements.drop();
    this.#source = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
