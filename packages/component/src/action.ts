import type { AnyInstance, Methods, None } from "./app-value.ts";
import type { HttpResponse, Props, ValuesOf, WithoutUnknown } from "./props.ts";
import type { Withheld } from "./values.ts";

/** The URLs that resume or cancel a workflow from outside. */
type Paused = { resume_url: string; cancel_url: string };

/** The `$` of an action. */
export type ActionContext = {
  /** Export a value to later steps; `$summary` describes the result. */
  export(name: string, value: unknown): void;
  /** Respond to the request that began the workflow. */
  respond(response: HttpResponse & { immediate?: boolean }): Promise<void>;
  flow: {
    exit(reason?: string): void;
    delay(ms: number): Paused;
    suspend(ms?: number): Paused;
    rerun(ms?: number, context?: unknown, maxRetries?: number): Paused;
    trigger(workflowId: string, payload?: unknown): Promise<{ workflowId: string }>;
    refreshTimeout(): void;
  };
  send: {
    http(request: { url: string } & Record<string, unknown>): Promise<void>;
    email(message: { subject: string } & Record<string, unknown>): Promise<void>;
    s3(object: Record<string, unknown>): Promise<void>;
    emit(event: { raw_event: unknown; event_name?: string }): Promise<void>;
    sse(message: { channel: string; payload: unknown }): Promise<void>;
  };
  context: {
    id: string;
    /** ISO 8601. */
    ts: string;
    /** Epoch milliseconds. */
    deadline: number;
    /** Whether this is a test of the step. */
    JIT: boolean;
    run: { runs: number; context?: Withheld };
    workflow_id?: string;
    workflow_name?: string;
    /** The run whose event this one repeats, or its own id. */
    trace_id?: string;
    /** Whether it repeats the event of another run. */
    replay?: boolean;
    deployment_id?: string;
    owner_id?: string;
    emitter_id?: string;
    verified?: boolean;
    test?: boolean;
  };
};

/** The argument of an action's `run`. `steps`: the exports of earlier steps, by name. */
export type ActionInput = { $: ActionContext; steps: Record<string, Withheld> };

/** `this` in an action. */
type ActionInstance<P, M> = ValuesOf<P> & M;

/** An action. */
export type Action<P, M, R> = {
  name: string;
  version: string;
  key?: string;
  type: "action";
  description?: string;
  props?: { [Name in keyof P]: P[Name] } & ThisType<AnyInstance>;
  methods?: M;
  run(input: ActionInput): R;
  additionalProps?(previous: Props): Withheld;
  annotations?: unknown;
} & ThisType<ActionInstance<P, M>>;

/** Declare an action. Returns its argument, which runs in any environment for components. */
export function defineAction<const P extends Props = None, M extends Methods = None, R = unknown>(
  action: Action<P, M, R> & { props?: WithoutUnknown<NoInfer<P>> },
): Action<P, M, R> {
  return action;
}
