import { MAX_NESTED, TOO_DEEP } from "#domain/chains.ts";
import { HTTP_INTERFACE } from "#domain/definition.ts";
import { withTimeout } from "#domain/timeout.ts";
import { maxWireBytes } from "#domain/wire-size.ts";
import { admit } from "#durable-objects/emitter/admission.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import type { Incoming } from "#http/requests.ts";
import { accept, type HttpResponse, custom, preflight, refuse } from "#http/responses.ts";

import type { Deployment } from "./contract.ts";
import { SharedDeadline } from "./deadline.ts";
import type { Deployments } from "./deployments.ts";
import { ResponseHost } from "./host.ts";
import { type Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import { newJob } from "./queue.ts";
import type { RunEnd, Runner } from "./runner.ts";

/** A shorter run is committed before its event is acknowledged; a longer one is acknowledged from the inbox. */
const QUICK_RUN_MS = 20;

/** Maximum time that the caller of a custom-response endpoint waits for its response (docs/contract.md: Deadlines). */
const RESPONSE_DEADLINE_MS = 30_000;

type Deps = {
  deployments: Deployments;
  runner: Runner;
  inbox: Inbox;
  alarm: Alarm;
  meter: Meter;
};

type Prop = Deployment["props"][number];

/** The cause of a request, and its id in the log. */
type Origin = Pick<Incoming, "hops" | "budget" | "depth" | "requestId">;

/** The HTTP interface of a source: every response follows a durable write (docs/contract.md: HTTP interface). */
export class Endpoint {
  readonly #deps: Deps;
  readonly #deadline = new SharedDeadline(QUICK_RUN_MS);
  #open: { deployment: Deployment; interfaces: Map<string, Prop> } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether the path is one of its endpoints, and it is active. */
  serves({ pathname }: Pick<Incoming, "pathname">): boolean {
    return this.#propOf(keyIn(pathname)) !== undefined;
  }

  /** Handle a request to `/e/{key}/…`. */
  async handle(incoming: Incoming): Promise<HttpResponse> {
    const { method, pathname } = incoming;
    const { runner, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    const prop = this.#propOf(keyIn(pathname));
    if (!prop) return refuse(404, "not_found", "No active source has this endpoint");
    const isCustom = prop["customResponse"] === true;
    if (method === "OPTIONS" && !isCustom) return preflight();
    const admission = admit(incoming, { meter, backlog: runner, kind: "source" });
    if ("refusal" in admission) return admission.refusal;
    const { event } = admission;
    return isCustom ? this.#exchange(event, incoming) : this.#accept(event, incoming);
  }

  #propOf(key: string): Prop | undefined {
    const { deployments } = this.#deps;
    const deployment = deployments.current();
    if (!deployment || !deployments.status().active) return undefined;
    if (this.#open?.deployment !== deployment)
      this.#open = { deployment, interfaces: interfacesOf(deployment) };
    return this.#open.interfaces.get(key);
  }

  async #accept(event: string, { hops, budget, depth, requestId }: Origin): Promise<HttpResponse> {
    const job = { ...newJob({ event }, { trigger: "http", requestId }), hops, budget };
    if (depth > MAX_NESTED) {
      this.#deps.runner.defer(job);
      return accept();
    }
    job.depth = depth;
    const end = this.#deps.runner.submit(job);
    await this.#deadline.settles(end);
    this.#deps.runner.keep(job);
    return accept();
  }

  async #exchange(
    event: string,
    { hops, budget, depth, requestId }: Origin,
  ): Promise<HttpResponse> {
    if (depth > MAX_NESTED) return refuse(508, "loop_detected", TOO_DEEP);
    const given = Promise.withResolvers<CustomResponse>();
    const seq = this.#deps.inbox.put(event, { attempts: 0, hops, budget, requestId });
    this.#deps.alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    const host = new ResponseHost(given.resolve);
    const place = { seq, bytes: maxWireBytes(event) };
    const job = newJob(place, { trigger: "http", requestId }, host);
    const ended = this.#deps.runner.submit({ ...job, depth });
    const responded = given.promise.then(custom);
    const mayRespond = this.#deps.deployments.current()?.namesRespond !== false;
    return await withTimeout(
      Promise.race([responded, ended.then((end) => responseOf(end, mayRespond))]),
      RESPONSE_DEADLINE_MS,
      () => refuse(504, "upstream_timeout", "The component did not respond within 30 s"),
    );
  }
}

function keyIn(pathname: string): string {
  return pathname.split("/")[2] ?? "";
}

/** The HTTP interfaces of a deployment, by the keys of their endpoints. */
function interfacesOf({ props, endpoints }: Deployment): Map<string, Prop> {
  const interfaces = props.filter(({ type }) => type === HTTP_INTERFACE);
  return new Map(interfaces.map((prop) => [endpoints[prop.name] ?? "", prop]));
}

/**
 * The response to a custom-response caller when the run is over. A component that never responds confirms its requests,
 * as one without a custom response does.
 */
function responseOf({ response, failure }: RunEnd, mayRespond: boolean): HttpResponse {
  if (response) return custom(response);
  if (failure) return refuse(502, "upstream_failed", "The component failed before it responded");
  if (!mayRespond) return accept();
  return refuse(400, "no_response", "The component did not respond to this request");
}
