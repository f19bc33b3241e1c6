import { createHash } from "node:crypto";

import { USED_UP } from "#domain/chains.ts";
import { isId } from "#domain/ids.ts";
import { isTooDeep } from "#domain/json-depth.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "#domain/row-size.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import { checkedResponse } from "#sandbox/outcome.ts";
import type { PlatformRequests } from "#sandbox/platform-requests.ts";
import type { Capabilities, Triggered } from "#sandbox/user-code.ts";

import type { NewRun, RunPlan } from "./contract.ts";

/** The services behind a step's capabilities. */
export type StepOutlets = {
  respond: (response: CustomResponse) => Promise<void>;
  /** Begin a run of a workflow of the same owner. False if there is none, undefined if it has no room. */
  trigger: (workflowId: string, run: NewRun) => Promise<Triggered>;
};

/** The calls that a step may make while it runs: respond to the HTTP caller, and trigger workflows of its owner. */
export class StepHost implements Capabilities {
  readonly #plan: RunPlan;
  readonly #number: number;
  readonly #outlets: StepOutlets;
  readonly #requests: PlatformRequests;
  #triggered = 0;

  /** `requests` share their budget of runs with the step's triggered runs. */
  constructor(
    plan: RunPlan,
    { number, requests }: { number: number; requests: PlatformRequests },
    outlets: StepOutlets,
  ) {
    this.#plan = plan;
    this.#number = number;
    this.#outlets = outlets;
    this.#requests = requests;
  }

  async setDb(): Promise<void> {
    throw new TypeError("A step has no db");
  }

  async respond(response: CustomResponse): Promise<void> {
    await this.#outlets.respond(checkedResponse(response));
  }

  async trigger(workflowId: string, event: string): Promise<Triggered> {
    if (typeof workflowId !== "string" || !isId("workflow", workflowId))
      return { ok: false, message: "the id of a workflow, p_…, is required" };
    if (isTooDeep(event)) return { ok: false, message: "the event is nested too deep" };
    if (!fitsBytes(event, MAX_EVENT_BYTES))
      return { ok: false, message: `an event may take at most ${MAX_EVENT_BYTES} bytes of JSON` };
    JSON.parse(event);
    const budget = this.#requests.takeShare();
    if (budget === 0) return { ok: false, message: USED_UP };
    const { context, hops, requestId } = this.#plan;
    // The same call in a repeated execution is the same run.
    const place = [context.id, this.#number, (this.#triggered += 1)].join(":");
    const id = createHash("sha256").update(place).digest("hex").slice(0, 32);
    const emitterId = context.workflow_id;
    return this.#outlets.trigger(workflowId, {
      id,
      event,
      hops: hops + 1,
      budget,
      requestId,
      sourceType: "workflow",
      emitterId,
    });
  }
}
