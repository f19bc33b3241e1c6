import { DB_SERVICE } from "../domain/definition.ts";
import { checkedOutcome } from "../sandbox/outcome.ts";
import type { Call, Host, Instance, Outcome, UserCode } from "../sandbox/user-code.ts";
import type { Deployment } from "./contract.ts";
import type { ServiceDbStore } from "./service-db.ts";

/** How long past its own deadline an isolate may stay silent before its call is given up. */
const GRACE_MS = 5000;

/** What to invoke: a hook, or `run` on an event. */
export type Task =
  | { kind: "run"; event: string; deadlineMs: number }
  | { kind: "hook"; hook: Extract<Call, { kind: "hook" }>["hook"]; deadlineMs: number };

/** Carries invocations to the isolate of a deployment's code. */
export class Invoker {
  readonly #open: (deployment: Deployment) => UserCode;
  readonly #serviceDb: ServiceDbStore;
  #warm: { deployment: Deployment; code: UserCode } | undefined;

  constructor(open: (deployment: Deployment) => UserCode, serviceDb: ServiceDbStore) {
    this.#open = open;
    this.#serviceDb = serviceDb;
  }

  /** Invoke user code. Rejects only when its isolate died, said nothing, or said nonsense. */
  async invoke(deployment: Deployment, runId: string, task: Task, host?: Host): Promise<Outcome> {
    const call: Call = { ...task, instance: this.#instance(deployment, runId) };
    try {
      const code = this.#code(deployment);
      return checkedOutcome(await withinMs(code.invoke(call, host), task.deadlineMs + GRACE_MS));
    } catch (error) {
      this.#warm = undefined;
      throw error;
    }
  }

  #code(deployment: Deployment): UserCode {
    if (this.#warm?.deployment !== deployment)
      this.#warm = { deployment, code: this.#open(deployment) };
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
