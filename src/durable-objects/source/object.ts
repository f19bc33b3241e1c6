import { DurableObject } from "cloudflare:workers";

import type { Claim, Delivery } from "#domain/deliveries.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EventPage, EventPart, EventQuery, EventRange, EventSummary } from "#domain/events.ts";
import { newFailure } from "#domain/invocation.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import { queueOf } from "#domain/queues.ts";
import { streamTo } from "#durable-objects/emitter/follow.ts";
import { copied } from "#durable-objects/shared/rpc-results.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";
import { logRejection } from "#http/rejections.ts";
import type { Incoming } from "#http/requests.ts";
import { type HttpResponse, refuse } from "#http/responses.ts";
import { grantStores } from "#sandbox/data-stores.ts";
import { ownOrigins } from "#sandbox/egress/network.ts";
import { openUserCode, originOf } from "#sandbox/open.ts";
import type { UserCode } from "#sandbox/user-code.ts";
import { placeOfSource, rewrapSealed } from "#vault/secret-props.ts";
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
import { migrate } from "./migrations.ts";
import { newJob } from "./queue.ts";
import { ResolvedProps } from "./resolved-props.ts";
import { readState } from "./state.ts";
import { createSource, type WiredSource } from "./wiring.ts";

const REMOVED = newFailure("Removed", "The source was removed meanwhile");

/** One deployed source: its code, state, timers, dedupe memory, events, inbox and outbox. */
export class SourceObject extends DurableObject<Env> implements SourceControl {
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
    source.alarm.rearm();
    return result;
  }

  async update(deployment: Deployment, active: boolean, requestId?: string): Promise<HooksResult> {
    const source = this.#source;
    if (!source) throw new Error(`Source ${this.ctx.id.name} was updated before it was deployed`);
    const result = await source.lifecycle.update(deployment, active, requestId);
    source.alarm.rearm();
    return result;
  }

  async remove(requestId?: string): Promise<void> {
    const source = this.#source;
    if (!source) return;
    source.timers.stop();
    await source.lifecycle.deactivate(requestId);
    await this.#erase(source);
  }

  async current(): Promise<JsonOf<Current> | null> {
    const settled = this.#source?.deployments.settled();
    return settled ? toJson(settled) : null;
  }

  async snapshot(): Promise<JsonOf<Snapshot> | null> {
    const settled = this.#source?.deployments.settled();
    if (!this.#source || !settled) return null;
    return toJson({ ...settled, db: this.#source.serviceDb.all() });
  }

  async restore(snapshot: JsonOf<Snapshot>): Promise<boolean> {
    if (this.#source?.deployments.current()) return false;
    const { lifecycle, serviceDb, meter, alarm } = this.#setUp();
    const { db, ...kept } = fromJson(snapshot);
    serviceDb.write(db);
    await Promise.all([lifecycle.revive(kept), meter.reload()]);
    alarm.rearm();
    return true;
  }

  /** Refresh the owner's quotas now, not with the next report. */
  async refreshQuotas(): Promise<void> {
    await this.#source?.meter.reload();
    this.#source?.runner.resume();
  }

  async checkAccounts(): Promise<void> {
    this.#source?.accountWatch.request();
    this.#source?.alarm.rearm();
  }

  async rewrap(): Promise<boolean> {
    const deployments = this.#source?.deployments;
    const deployment = deployments?.current();
    if (!deployments || !deployment) return true;
    const vault = openVault(this.env);
    const place = placeOfSource(deployment);
    const sealed = await rewrapSealed(vault, place, deployment.sealedProps ?? {});
    return sealed === undefined || deployments.reseal(deployment, sealed);
  }

  /** Handle a request to one of the source's endpoints. */
  async answer(incoming: Incoming): Promise<HttpResponse> {
    const response =
      (await this.#source?.endpoint.handle(incoming)) ??
      refuse(404, "not_found", "No active source has this endpoint");
    const { sourceId: emitterId, ownerId } = this.#source?.deployments.current() ?? {};
    return logRejection(response, incoming, { emitterId, ownerId });
  }

  /** A stream of its events, for the API. */
  override async fetch(request: Request): Promise<Response> {
    return streamTo(request, this.#source);
  }

  async run(order: RunOrder): Promise<ManualRunResult> {
    return (await this.#source?.manualRuns.run(order)) ?? { ok: false, reason: "inactive" };
  }

  async events(query: EventQuery): Promise<EventPage> {
    return this.#source?.history.reader.page(query) ?? { events: [], rest: [], totalCount: 0 };
  }

  async eventsAt(ids: string[], expand: boolean): Promise<EventPart> {
    return this.#source?.history.reader.part(ids, expand) ?? { events: [], rest: [] };
  }

  async state(query: StateQuery): Promise<StatePage | null> {
    return this.#source && readState(this.#source, query);
  }

  async replay(id: string, requestId?: string): Promise<EventSummary | null> {
    const source = this.#source;
    const position = source?.committer.replay(id, requestId);
    return (position !== undefined && source?.history.reader.summaries([position])[0]) || null;
  }

  async deleteEvents(range: EventRange): Promise<void> {
    this.#source?.history.hide(range);
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

  async keepAlarm(): Promise<boolean> {
    return (await this.#source?.alarm.keep()) ?? false;
  }

  async recover(): Promise<void> {
    // Events of an abandoned create's hooks must not be delivered.
    if (this.#source && !this.#source.lifecycle.isAbandonedCreate())
      await handleAlarm(this.#source, { redeliveryDelayMs: 0, isRetry: true });
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
    this.#source ??= createSource({
      storage: this.ctx.storage,
      queue: queueOf(this.env, this.ctx.id.name ?? ""),
      sourceId: this.ctx.id.name ?? "",
      sandbox: {
        open: (deployment) => this.#open(deployment),
        stores: ({ props, configuredProps }) =>
          grantStores((id) => this.env.DATA_STORES.getByName(id), props, configuredProps),
        origin: ({ bundleHash }) => originOf(this.env, bundleHash),
        origins: ownOrigins(this.env),
        egress: ({ ownerId: owner }, cause) => this.ctx.exports.Egress({ props: { owner, cause } }),
      },
      configured: new ResolvedProps((id) => this.env.ACCOUNTS.getByName(id), openVault(this.env)),
      report: (usage) => copied(this.env.OWNERS.getByName(usage.ownerId).reportUsage(usage)),
      reportAlerts: (report) => this.ctx.exports.Directory.recordAlerts(report),
      lostAccounts: (owner, ids) => this.ctx.exports.Directory.lostAccounts(owner, ids),
      reportSettled: (settled) => this.ctx.exports.Directory.settled(settled),
      countListeners: (emitter, channels) =>
        this.ctx.exports.Directory.countListeners(emitter, channels),
    });
    return this.#source;
  }

  #open(deployment: Deployment): UserCode {
    const { Egress } = this.ctx.exports;
    return openUserCode(
      this.env,
      {
        egress: (owner) => Egress({ props: { owner } }),
        provide: (request) =>
          this.env.SCRIPTS.getByName(this.env.DISPATCH_NAMESPACE).provide(request),
      },
      deployment,
    );
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
