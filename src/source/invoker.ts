import { DB_SERVICE } from "../domain/definition.ts";
import { checkedOutcome } from "../sandbox/outcome.ts";
import { mapStack } from "../sandbox/stack.ts";
import type { Call, Host, Instance, Outcome, UserCode } from "../sandbox/user-code.ts";
import type { Deployment } from "./contract.ts";
import type { ServiceDbStore } from "./service-db.ts";

/** How long past its own deadline an isolate may stay silent before its call is given up. */
const GRACE_MS = 5000;

/** What to invoke: a hook, or `run` on an event. */
export type Task =
  | { kind: "run"; event: string; deadlineMs: number }
  | { kind: "hook"; hook: Extract<Call, { kind: "hook" }>["hook"]; deadlineMs: number };

/** Where a deployment's code runs, and where its source map is. */
export type Sandbox = {
  open: (deployment: Deployment) => UserCode;
  /** JSON text of the source map; empty when there is none. */
  sourceMap: (deployment: Deployment) => Promise<string>;
};

/** Carries invocations to the isolate of a deployment's code. */
export class Invoker {
  readonly #sandbox: Sandbox;
  readonly #serviceDb: ServiceDbStore;
  #warm: { deployment: Deployment; code: UserCode } | undefined;

  constructor(sandbox: Sandbox, serviceDb: ServiceDbStore) {
    this.#sandbox = sandbox;
    this.#serviceDb = serviceDb;
  }

  /** Invoke user code. Rejects only when its isolate died, said nothing, or said nonsense. */
  async invoke(deployment: Deployment, runId: string, task: Task, host?: Host): Promise<Outcome> {
    const call: Call = { ...task, instance: this.#instance(deployment, runId) };
    try {
      const answer = this.#code(deployment).invoke(call, host);
      const outcome = checkedOutcome(await withinMs(answer, task.deadlineMs + GRACE_MS));
      return await this.#located(deployment, outcome);
    } catch (error) {
      this.#warm = undefined;
      throw error;
    }
  }

  /** Tell where a failure happened in the files as their author sent them. */
  async #located(deployment: Deployment, outcome: Outcome): Promise<Outcome> {
    const { failure } = outcome;
    if (!failure) return outcome;
    const map = await this.#sandbox.sourceMap(deployment);
    if (map === "") return outcome;
    return { ...outcome, failure: { ...failure, stack: mapStack(failure.stack, map) } };
  }

  #code(deployment: Deployment): UserCode {
    if (this.#warm?.deployment !== deployment)
      this.#warm = { deployment, code: this.#sandbox.open(deployment) };
    return this.#warm.code;
  }

  #instance(deployment: Deployment, runId: string): Instance {
    const { sourceId, configuredProps, endpoints, origin } = deployment;
    return {
      sourceId,
      runId,
      props: JSON.stringify(configuredProps),
      endpoints: Object.fromEntries(
        Object.entries(endpoints).map(([prop, key]) => [prop, `${origin}/e/${key}`]),
      ),
      db: hasDb(deployment) ? this.#serviceDb.all() : {},
    };
  }
}

/** Whether the component keeps state, and so runs one invocation at a time. */
export function hasDb({ props }: Deployment): boolean {
  return props.some(({ type }) => type === DB_SERVICE);
}

async function withinMs<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The isolate said nothing for ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
