import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

import type { Cause } from "#domain/chains.ts";
import { DB_SERVICE } from "#domain/definition.ts";
import type { Id } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import { authorise, tokenRenewal } from "#sandbox/accounts.ts";
import { grantStores } from "#sandbox/data-stores.ts";
import { ownOrigins } from "#sandbox/egress/network.ts";
import { openLoaded, openUserCode, originOf } from "#sandbox/open.ts";
import type { UserCode } from "#sandbox/user-code.ts";
import { openSecrets, placeOfStep } from "#vault/secret-props.ts";
import { openVault } from "#vault/vault.ts";

import type { PlannedStep, RunPlan, RunTicket } from "./contract.ts";
import type { StepOutlets } from "./host.ts";
import { Orchestrator, type RunMemory } from "./orchestrator.ts";
import { StepInvoker, type StepSandbox } from "./step-invoker.ts";

/** One run of a workflow, as an instance of the engine. */
export class Run extends WorkflowEntrypoint<Env, RunTicket> {
  override async run(
    { payload: { workflowId, runId } }: Readonly<WorkflowEvent<RunTicket>>,
    engine: WorkflowStep,
  ): Promise<void> {
    const workflow = this.env.WORKFLOWS.getByName(workflowId);
    const text = await workflow.plan(runId);
    // The workflow was deleted meanwhile, or the run has ended already.
    if (text === null) return;
    const plan: RunPlan = fromJson(text);
    const memory: RunMemory = {
      recorded: (number) => workflow.recorded(runId, number),
      record: (report) => workflow.record(runId, report, true),
      wake: (resumption) => workflow.wake(runId, resumption),
      resumption: (number) => workflow.resumption(runId, number),
      end: (end) => workflow.end(runId, end),
      send: (left) => workflow.send(runId, left),
    };
    const outlets: StepOutlets = {
      respond: (response) => workflow.respond(runId, response),
      trigger: (id, run) => this.env.WORKFLOWS.getByName(id).trigger(plan.deployment.ownerId, run),
    };
    const invoker = new StepInvoker({ plan, sandbox: this.#sandbox(plan), outlets });
    await new Orchestrator({ plan, engine, memory, invoker }).play();
  }

  #egress({ deployment: { ownerId: owner } }: RunPlan, cause?: Cause): Fetcher {
    return this.ctx.exports.Egress({ props: { owner, ...(cause && { cause }) } });
  }

  #sandbox(plan: RunPlan): StepSandbox {
    const vault = openVault(this.env);
    const accountOf = (id: Id<"account">) => this.env.ACCOUNTS.getByName(id);
    return {
      open: (step) => ({
        code: this.#open(plan, step),
        stores: grantStores((id) => this.env.DATA_STORES.getByName(id), step.props, step.values),
      }),
      valuesFor: async ({ name, props, values, sealed = {} }) => {
        const { ownerId } = plan.deployment;
        const place = placeOfStep(ownerId, name);
        const secrets = await openSecrets(vault, place, sealed);
        const configured = { props, values: { ...values, ...secrets } };
        return authorise(accountOf, ownerId, configured);
      },
      renewalFor: (step) => tokenRenewal(accountOf, plan.deployment.ownerId, step),
      origin: ({ bundleHash }) => originOf(this.env, bundleHash),
      dbOf: ({ name, props }) =>
        props.some(({ type }) => type === DB_SERVICE)
          ? this.env.WORKFLOWS.getByName(plan.deployment.workflowId).stepDb(name)
          : Promise.resolve({}),
      origins: ownOrigins(this.env),
      egress: (cause) => this.#egress(plan, cause),
    };
  }

  /** A script of a namespace cannot contain the expressions of one step: code with expressions runs in the loader. */
  #open(run: RunPlan, { bundleHash, labels, expressions }: PlannedStep): UserCode {
    const { ownerId, plan } = run.deployment;
    const egress = (): Fetcher => this.#egress(run);
    if (expressions) {
      const tenant = { owner: ownerId, bundleHash, plan, egress: egress(), expressions };
      return openLoaded(this.env, tenant);
    }
    const keeper = () => this.env.SCRIPTS.getByName(this.env.DISPATCH_NAMESPACE);
    const provide = (request: Parameters<ReturnType<typeof keeper>["provide"]>[0]) =>
      keeper().provide(request);
    return openUserCode(this.env, { egress, provide }, { ownerId, bundleHash, plan, labels });
  }
}
