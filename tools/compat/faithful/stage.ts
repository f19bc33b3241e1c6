import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { send } from "../client.ts";
import type { Failure } from "../evidence.ts";
import { failureIn } from "../refusal.ts";
import { type Lane, type Saved, Troubled } from "../subject.ts";
import type { Fake } from "./fake.ts";

/** A value differs from the protocol's requirement. */
class Mismatch extends Error {
  override readonly name = "Mismatch";
}

type Values = Record<string, unknown>;
type Source = { id: string; configured_props: Record<string, { endpoint_url?: string } | null> };
type Emitted = { event: unknown; metadata?: { summary?: string; id?: string } };
type Problem = { event: { error: { code: string; message: string; stack?: string } } };
type Run = {
  id: string;
  state: string;
  error: { code: string; message: string; stack?: string } | null;
};
type Details = { steps: { exports: { $return_value?: unknown } }[] };
type Pushed = { status: number; text: string };

/** Long, because only failures wait for all of it, and a busy machine is slow. */
const PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** The stage of a scenario: one component on the platform, and its fake provider. */
export class Stage {
  readonly #lane: Lane;
  readonly #component: Saved;
  readonly #signal: AbortSignal;
  readonly #credentials: Record<string, string>;
  #source: Source | undefined;
  #accountId = "";

  constructor(
    lane: Lane,
    component: Saved,
    { credentials, signal }: { credentials: Record<string, string>; signal: AbortSignal },
  ) {
    this.#lane = lane;
    this.#component = component;
    this.#credentials = credentials;
    this.#signal = signal;
  }

  /** Answer the component's requests from now on; requests without a fake get a 404. */
  serve(...fakes: Fake[]): void {
    this.#lane.upstream.serve(this.#lane.owner, async (request) => {
      for (const fake of fakes) {
        const reply = await fake(request);
        if (reply) return reply;
      }
      return { status: 404, body: `No fake handles ${request.method} ${request.url.href}` };
    });
  }

  /** Deploy the source with an account, a slow timer, and the values that it has a prop for. */
  async deploy(values: Values = {}): Promise<void> {
    const body = { component_id: this.#component.id, configured_props: await this.#filled(values) };
    const response = await this.#lane.user.call<Source>("POST", "/sources", {
      body,
      signal: this.#signal,
    });
    if (response.status !== 200) throw new Troubled("hook", failureIn(response));
    this.#source = response.data;
  }

  /** Run the source as its timer does, or with an event, and wait for the end of the run. */
  async tick(event?: unknown): Promise<void> {
    const body = { wait: 30, ...(event !== undefined && { event }) };
    const response = await this.#lane.user.call("POST", `${this.#path()}/run`, {
      body,
      signal: this.#signal,
    });
    if (response.status !== 200) throw new Troubled("run", failureIn(response));
    await this.refuseErrors();
  }

  /** Send a request to the source's endpoint. */
  async push(init: RequestInit, query = ""): Promise<Pushed> {
    return send(this.endpoint + query, { method: "POST", signal: this.#signal, ...init });
  }

  /** Send an app's event to the sources that are hooked to it. */
  async deliver(app: string, given: { event_name: string[]; event: unknown }): Promise<void> {
    const body = { ...given, account_id: this.#accountId };
    const { status, error } = await this.#lane.operator.call("POST", `/apphooks/${app}`, {
      body,
      signal: this.#signal,
    });
    if (status !== 200) throw new Troubled("run", { name: String(status), message: error });
  }

  get endpoint(): string {
    const values = Object.values(this.#source?.configured_props ?? {});
    return values.find((value) => value?.endpoint_url)?.endpoint_url ?? "";
  }

  /** The events of the source, oldest first, once there are that many. */
  async emitted<T = unknown>(count: number): Promise<T[]> {
    const path = `${this.#path()}/event_summaries?expand=event&limit=100`;
    for (const until = Date.now() + PATIENCE_MS; ; await wait(POLL_MS)) {
      await this.refuseErrors();
      const found = await this.#lane.user.read<Emitted[]>(path, this.#signal);
      if (found.length >= count || Date.now() > until) {
        this.equal("the number of events", found.length, count);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the scenario checks the type that it names.
        return found.toReversed().map(({ event }) => event as T);
      }
    }
  }

  /** Wait until the fakes have seen the expected requests; throws on a timeout. */
  async until(what: string, isThere: () => boolean): Promise<void> {
    for (const until = Date.now() + PATIENCE_MS; !isThere(); await wait(POLL_MS)) {
      await this.refuseErrors();
      if (Date.now() > until) throw new Mismatch(`${what}: not seen in ${PATIENCE_MS / 1000} s`);
    }
  }

  /** Delete the source, which runs its deactivate hook. */
  async remove(): Promise<void> {
    if (!this.#source) return;
    const path = this.#path();
    this.#source = undefined;
    await this.#lane.user.call("DELETE", path, { signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** Stop the source, which runs its deactivate hook while the source still exists. */
  async stop(): Promise<void> {
    const body = { active: false };
    await this.#lane.user.call("PUT", this.#path(), { body, signal: this.#signal });
    await this.refuseErrors();
  }

  /** Run the action once as a step of a workflow; returns its return value. */
  async act(values: Values = {}): Promise<unknown> {
    const step = {
      name: "action",
      component_id: this.#component.id,
      props: await this.#filled(values),
    };
    const { operator, owner } = this.#lane;
    const body = { owner_id: owner, name: "Faithful", trigger: { type: "http" }, steps: [step] };
    const made = await operator.call<{ id: string; trigger: { endpoint_url: string } }>(
      "POST",
      "/workflows",
      { body, signal: this.#signal },
    );
    if (made.status !== 200) throw new Troubled("props", failureIn(made));
    const path = `/workflows/${made.data.id}/runs`;
    await send(made.data.trigger.endpoint_url, {
      method: "POST",
      body: "{}",
      signal: this.#signal,
    });
    return this.#returned(path);
  }

  /** The choices of a prop. */
  async choices(prop: string, values: Values = {}): Promise<unknown[]> {
    const path = `/components/${this.#component.id}/options`;
    const body = { prop_name: prop, configured_props: await this.#filled(values) };
    const response = await this.#lane.user.call<{ options: { value: unknown }[] }>("POST", path, {
      body,
      signal: this.#signal,
    });
    if (response.status !== 200) throw new Troubled("options", failureIn(response));
    return response.data.options.map(({ value }) => value);
  }

  /** Throws if two values differ. */
  equal(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    throw new Mismatch(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }

  /** Throws if the source has reported an error. */
  async refuseErrors(): Promise<void> {
    const path = `${this.#path()}/$errors/event_summaries?expand=event&limit=1`;
    const [first] = await this.#lane.user.read<Problem[]>(path, this.#signal);
    if (!first) return;
    throw new Troubled("run", failureOf(first.event.error));
  }

  /** The return value of the single step of a workflow's run, once it has ended. */
  async #returned(path: string): Promise<unknown> {
    for (;;) {
      const [run] = await this.#lane.user.read<Run[]>(`${path}?limit=1`, this.#signal);
      if (run?.error) throw new Troubled("run", failureOf(run.error));
      if (run?.state === "succeeded") {
        const { steps } = await this.#lane.user.read<Details>(`${path}/${run.id}`, this.#signal);
        return steps[0]?.exports.$return_value;
      }
      await wait(POLL_MS);
    }
  }

  #path(): string {
    return `/sources/${this.#source?.id}`;
  }

  async #filled(values: Values): Promise<Values> {
    const names = new Set(this.#component.configurable_props.map(({ name }) => name));
    const filled: Values = Object.fromEntries(
      Object.entries(values).filter(([name]) => names.has(name)),
    );
    for (const { name, type, ...prop } of this.#component.configurable_props)
      if (type === "app") filled[name] = { authProvisionId: await this.#account(prop["app"]) };
      else if (type === "$.interface.timer") filled[name] ??= { intervalSeconds: 86_400 };
    return filled;
  }

  async #account(app: unknown): Promise<string> {
    const { owner, operator } = this.#lane;
    const body = { owner_id: owner, app, name: "Faithful", credentials: this.#credentials };
    const { data } = await operator.call<{ id: string }>("POST", "/accounts", {
      body,
      signal: this.#signal,
    });
    this.#accountId = data.id;
    return data.id;
  }
}

function failureOf({ code, message, stack }: Problem["event"]["error"]): Failure {
  return { name: code, message, stack };
}
