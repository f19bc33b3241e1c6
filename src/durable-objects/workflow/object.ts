import { DurableObject } from "cloudflare:workers";

import { afterTimers } from "#domain/alerts.ts";
import type { Claim, Delivery } from "#domain/deliveries.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EventPage, EventPart, EventQuery } from "#domain/events.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { Failure } from "#domain/invocation.ts";
import { type JsonOf, toJson } from "#domain/json.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { queueOf } from "#domain/queues.ts";
import type { Tick } from "#domain/schedule.ts";
import { checkTimers } from "#durable-objects/emitter/check-timers.ts";
import { streamTo } from "#durable-objects/emitter/follow.ts";
import { copied } from "#durable-objects/shared/rpc-results.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import { logRejection } from "#http/rejections.ts";
import type { Incoming } from "#http/requests.ts";
import { type HttpResponse, refuse } from "#http/responses.ts";
import type { Triggered } from "#sandbox/user-code.ts";
import { openVault } from "#vault/vault.ts";

import { handleAlarm } from "./alarm-handler.ts";
import type {
  CodeInUse,
  KeptResumption,
  NewRun,
  RunOrderResult,
  RerunOrder,
  ExecutionPart,
  PauseOrder,
  PauseOrderResult,
  RunDetails,
  RunEnd,
  RunOrder,
  RunPlan,
  RunSummary,
  StepMessages,
  StepReport,
  StepOutcome,
  WorkflowControl,
  WorkflowDeployment,
} from "./contract.ts";
import { enginesOf } from "./engine-shards.ts";
import { migrate } from "./migrations.ts";
import { endPause, resume } from "./resume.ts";
import { rewrapWorkflow } from "./rewrap.ts";
import { runPlanOf } from "./run-plan.ts";
import type { RunRow } from "./run-rows.ts";
import { terminateAll } from "./termination.ts";
import { createWorkflow, type WiredWorkflow } from "./wiring.ts";

/** One workflow: its versions, its timer, its runs and their outcomes, its events, and its outbox. */
export class WorkflowObject extends DurableObject<Env> implements WorkflowControl {
  // Null while nothing is deployed: names of deleted workflows, and of none, have no storage.
  #workflow: WiredWorkflow | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (!isSetUp(ctx.storage)) return;
    const { alarm } = this.#setUp();
    void ctx.blockConcurrencyWhile(() => alarm.recall());
  }

  async deploy(deployment: WorkflowDeployment, active: boolean): Promise<void> {
    const { deployments, stepDb, timers, alarm, meter, accountWatch, committer } = this.#setUp();
    if (!deployments.put(deployment, active)) return;
    accountWatch.request();
    stepDb.keepOnly(deployment.steps.map(({ name }) => name));
    const { schedule } = deployment;
    timers.start(active && schedule ? [["timer", schedule]] : [], Date.now());
    committer.alert((state) => afterTimers(state, active && schedule ? ["timer"] : []));
    alarm.rearm();
    await meter.reload();
  }

  async current(): Promise<JsonOf<WorkflowDeployment> | null> {
    const deployment = this.#workflow?.deployments.current();
    return deployment ? toJson(deployment) : null;
  }

  async code(): Promise<CodeInUse[]> {
    const inUse = this.#workflow?.deployments.inUse() ?? [];
    return inUse.map(({ id, steps }) => ({
      deploymentId: id,
      bundleHashes: steps.map(({ bundleHash }) => bundleHash),
    }));
  }

  async remove(): Promise<void> {
    const workflow = this.#workflow;
    if (!workflow) return;
    while (workflow.usage.hasUnreported()) await workflow.meter.flush();
    await workflow.meter.close();
    this.#workflow = null;
    workflow.responses.endAll();
    workflow.streams.close();
    workflow.sender.close();
    workflow.history.acknowledgements.drop();
    await terminateAll(workflow);
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Refresh the owner's quotas now, not with the next report. */
  async refreshQuotas(): Promise<void> {
    await this.#workflow?.meter.reload();
    await this.#workflow?.starter.pump();
  }

  async checkAccounts(): Promise<void> {
    this.#workflow?.accountWatch.request();
    this.#workflow?.alarm.rearm();
  }

  async rewrap(): Promise<boolean> {
    if (this.#workflow) await rewrapWorkflow(this.#workflow.deployments, openVault(this.env));
    return true;
  }

  /** Handle a request to the endpoint or to a pause. */
  async answer(incoming: Incoming): Promise<HttpResponse> {
    const response = await this.#handle(incoming);
    const { workflowId: emitterId, ownerId } = this.#workflow?.deployments.current() ?? {};
    return logRejection(response, incoming, { emitterId, ownerId });
  }

  async #handle(incoming: Incoming): Promise<HttpResponse> {
    const workflow = this.#workflow;
    if (!workflow) return refuse(404, "not_found", "No active workflow has this endpoint");
    if (incoming.pathname.startsWith("/e/")) return workflow.endpoint.handle(incoming);
    return resume(workflow, incoming);
  }

  /** A stream of its events, for the API. */
  override async fetch(request: Request): Promise<Response> {
    return streamTo(request, this.#workflow);
  }

  async events(query: EventQuery): Promise<EventPage> {
    return this.#workflow?.history.reader.page(query) ?? { events: [], rest: [], totalCount: 0 };
  }

  async eventsAt(ids: string[], expand: boolean): Promise<EventPart> {
    return this.#workflow?.history.reader.part(ids, expand) ?? { events: [], rest: [] };
  }

  async runs(request: PageRequest): Promise<Page<RunSummary>> {
    return this.#workflow?.runHistory.page(request) ?? { items: [], totalCount: 0 };
  }

  async run(runId: string): Promise<RunDetails | null> {
    return this.#workflow?.runHistory.details(runId) ?? null;
  }

  async executions(runId: string, from: number): Promise<ExecutionPart> {
    return this.#workflow?.runHistory.part(runId, from) ?? { executions: [], next: null };
  }

  /** The plan of a run. Null: there is no such run under way. */
  async plan(runId: string): Promise<JsonOf<RunPlan> | null> {
    const run = this.#run(runId);
    const deployment = run && this.#workflow?.deployments.byId(run.deployment_id);
    if (!deployment || run.ended_ms !== null) return null;
    return toJson(runPlanOf(run, deployment));
  }

  /** The recorded outcome of an execution; null if there is none. */
  async recorded(runId: string, number: number): Promise<JsonOf<StepOutcome> | null> {
    const run = this.#run(runId);
    const outcome = run && this.#workflow?.runs.outcomeOf(run, number);
    return outcome ? toJson(outcome) : null;
  }

  /** The values that earlier runs of a step set in its `$.service.db`: JSON text by key. */
  async stepDb(step: string): Promise<Record<string, string>> {
    return this.#workflow?.stepDb.all(step) ?? {};
  }

  /** Record an execution. `withMessages`: send its messages, which the runs of an older release send themselves. */
  async record(runId: string, report: StepReport, withMessages = false): Promise<boolean> {
    const run = this.#run(runId);
    if (run) this.#workflow?.committer.record(run, report, withMessages);
    return withMessages;
  }

  async wake(runId: string, resumption?: KeptResumption): Promise<void> {
    const run = this.#run(runId);
    if (run) this.#workflow?.committer.wake(run, resumption);
  }

  /** The request that ended the pause after an execution, JSON text; null if there was none. */
  async resumption(runId: string, number: number): Promise<string | null> {
    const run = this.#run(runId);
    return (run && this.#workflow?.runs.resumptions.of(run, number)) ?? null;
  }

  async end(runId: string, end: RunEnd): Promise<void> {
    const run = this.#run(runId);
    if (run) this.#workflow?.committer.end(run, end);
  }

  /** Log a failure around a run that does not end it. */
  async note(runId: string, failure: Failure, step: string): Promise<void> {
    const run = this.#run(runId);
    if (run) this.#workflow?.committer.recordFailure(run, failure, step);
  }

  /** Send messages of an execution that were not stored with it. */
  async send(runId: string, left: StepMessages): Promise<void> {
    const run = this.#run(runId);
    if (run) this.#workflow?.committer.send(run, left);
  }

  /** Respond to the HTTP caller of a run at once. */
  async respond(runId: string, response: CustomResponse): Promise<void> {
    this.#workflow?.responses.offer(runId, response);
    this.#workflow?.responses.settle(runId);
  }

  async runNow(order: RunOrder): Promise<RunOrderResult> {
    return this.#workflow?.manualRuns.run(order) ?? { ok: false, reason: "inactive" };
  }

  async endPause(order: PauseOrder): Promise<PauseOrderResult> {
    return this.#workflow ? endPause(this.#workflow, order) : "unknown_run";
  }

  async rerun(order: RerunOrder): Promise<RunOrderResult> {
    return this.#workflow?.manualRuns.rerun(order) ?? { ok: false, reason: "inactive" };
  }

  /** Begin a run for a workflow of the same owner. */
  async trigger(ownerId: OwnerId, run: NewRun): Promise<Triggered> {
    const workflow = this.#workflow;
    const id = this.ctx.id.name;
    if (!workflow?.deployments.isActive() || workflow.deployments.current()?.ownerId !== ownerId)
      return { ok: false, message: `there is no active workflow ${id} of this owner` };
    await workflow.meter.refresh();
    if (workflow.listener.trigger(run)) return { ok: true };
    return { ok: false, message: `too many events wait for ${id}` };
  }

  /** Send events of the outbox to the router. Null if nothing is deployed here any more. */
  async claim(positions: Position[], maxBytes?: number): Promise<Claim | null> {
    return this.#workflow?.history.claim(positions, maxBytes) ?? null;
  }

  /** Receive events of emitters, each as one run. False if there is no room for them now. */
  async receive(deliveries: Delivery[]): Promise<boolean> {
    if (this.#workflow?.meter.isLimited()) await this.#workflow.meter.refresh();
    return this.#workflow ? this.#workflow.listener.receive(deliveries) : true;
  }

  /** Remove events from the outbox that every listener has; `hasSubscribers`: whether there are any listeners. */
  async acknowledge(positions: Position[], hasSubscribers: boolean): Promise<void> {
    this.#workflow?.history.acknowledgements.acknowledge(positions);
    this.#workflow?.outbox.setHasSubscribers(hasSubscribers);
  }

  async checkTimers(): Promise<Tick[]> {
    const workflow = this.#workflow;
    return workflow ? checkTimers(workflow, (decide) => workflow.committer.alert(decide)) : [];
  }

  async keepAlarm(): Promise<boolean> {
    return (await this.#workflow?.alarm.keep()) ?? false;
  }

  async recover(): Promise<void> {
    if (!this.#workflow) return;
    this.#workflow.runs.checks.checkNow(Date.now());
    await handleAlarm(this.#workflow, 0);
  }

  override async alarm(): Promise<void> {
    if (!this.#workflow) return;
    this.#workflow.alarm.handling();
    await handleAlarm(this.#workflow);
  }

  #run(runId: string): RunRow | undefined {
    return this.#workflow?.runs.byId(runId);
  }

  #setUp(): WiredWorkflow {
    migrate(this.ctx.storage);
    const workflowId: Id<"workflow"> = `p_${this.ctx.id.name?.slice("p_".length) ?? ""}`;
    this.#workflow ??= createWorkflow({
      storage: this.ctx.storage,
      queue: queueOf(this.env, workflowId),
      ...enginesOf(this.env, workflowId),
      workflowId,
      report: (usage) => copied(this.env.OWNERS.getByName(usage.ownerId).reportUsage(usage)),
      reportAlerts: (report) => this.ctx.exports.Directory.recordAlerts(report),
      lostAccounts: (owner, ids) => this.ctx.exports.Directory.lostAccounts(owner, ids),
      egress: (owner, cause) => this.ctx.exports.Egress({ props: { owner, cause } }),
      mail: (mail) => this.ctx.exports.Mailing.send(mail),
    });
    return this.#workflow;
  }
}
