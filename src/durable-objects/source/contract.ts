import type { Remembered } from "#domain/dedupe.ts";
import type { ComponentDefinition, PropDefinition } from "#domain/definition.ts";
import type { EventPage, EventPart, EventQuery, EventRange, EventSummary } from "#domain/events.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { Failure } from "#domain/invocation.ts";
import type { Json, JsonOf } from "#domain/json.ts";
import type { QuotaName } from "#domain/quotas.ts";
import type { Schedule, Tick } from "#domain/schedule.ts";
import type { CustomResponse } from "#http/custom-response.ts";
import type { ScriptLabels } from "#sandbox/script.ts";
import type { Plan } from "#sandbox/worker-loader.ts";

/** Everything that a source needs to run. The object stores it; D1 only lists it. */
export type Deployment = {
  sourceId: Id<"source">;
  ownerId: OwnerId;
  /** The name that the owner chose; absent on older deployments. */
  name?: string;
  /** The change of the source that deployed it, as the source's row names it. */
  change?: string;
  /** The hash of the bundle in the code store. */
  bundleHash: string;
  /** The owner's plan, which limits invocations. */
  plan?: Plan;
  /** Labels of the component's script. */
  labels?: ScriptLabels;
  dedupe: ComponentDefinition["dedupe"] | null;
  runs: boolean;
  /** Whether its own code names `respond`; absent on older deployments: it may. */
  namesRespond?: boolean;
  hooks: ComponentDefinition["hooks"];
  /** Whether events of the `deploy` hook are kept and delivered. Absent: yes. */
  emitOnDeploy?: boolean;
  /** All props, those from `additionalProps` included. */
  props: PropDefinition[];
  /** Names of those that are from `additionalProps`. */
  additional?: string[];
  /** Values by prop name, as checked and completed with defaults; interfaces included, secrets left out. */
  configuredProps: Record<string, Json>;
  /** The values of `secret` props, each sealed. */
  sealedProps?: Record<string, string>;
  /** Endpoint key by the name of each HTTP interface prop. */
  endpoints: Record<string, string>;
  /** The origin of the endpoint URLs. */
  origin: string;
  /** The number of objects that take its HTTP events; absent: one. */
  shards?: number;
};

/** The current deployment of a source, and whether it is active. */
export type Current = { deployment: Deployment; active: boolean };

/** The outcome of a change to a source. */
export type Settled = { id: Id<"source">; change: string; current: JsonOf<Current> };

/**
 * A source in a backup: its deployment, its `$.service.db`, JSON text by key, and the ids by which it recognises what it
 * has emitted; earlier releases kept none.
 */
export type Snapshot = Current & { db: Record<string, string>; remembered?: Remembered[] };

/** The result of a change that runs hooks. `isBehind`: a shard could not be reached, and has the former deployment. */
export type HooksResult =
  | { ok: true; isBehind?: boolean }
  | { ok: false; hook: string; failure: Failure }
  | { ok: false; exhausted: QuotaName };

/** A manual run. `event`: JSON text; null: the event of the source's own trigger. */
export type RunOrder = {
  event: string | null;
  waitMs: number;
  requestId?: string;
  /** Its cause: the number of emitters before it, and the number of runs that it may still cause. */
  hops?: number | undefined;
  budget?: number | undefined;
  /** The number of components' requests that it is nested in. */
  depth?: number | undefined;
};

/** The result of a manual run. `events`: its events on every channel, oldest first. */
export type ManualRunResult =
  | { ok: false; reason: "inactive" }
  | { ok: false; reason: "overloaded" }
  | { ok: false; reason: "loop_detected"; message: string }
  | { ok: false; reason: "quota_exceeded"; message: string }
  | { ok: true; runId: string; state: "accepted" | "running" }
  | ({
      ok: true;
      runId: string;
      state: "finished" | "failed";
      response?: CustomResponse;
    } & EventPart);

/** The part of a source's `$.service.db` to read: one key whole, or a page in the order of keys. */
export type StateQuery = { key?: string | undefined; after?: string | undefined; limit: number };

/** A part of `$.service.db`, JSON text by key, long values truncated; its total size; and the timers. */
export type StatePage = {
  values: { key: string; value: string; isTruncated: boolean }[];
  /** The key to continue after; null at the end. */
  next: string | null;
  keys: number;
  bytes: number;
  timers: { prop: string; dueMs: number; schedule: Schedule }[];
};

/** The methods of `SourceObject` that the control plane may call. `requestId`: the request that calls. */
export type SourceControl = {
  /**
   * Set up a new source: store the deployment, run `deploy` then `activate`, start timers. On failure nothing stays.
   */
  deploy(deployment: Deployment, requestId?: string): Promise<HooksResult>;
  /**
   * `deactivate` the old (if active), swap, `activate` the new (if `active`). On failure the old one is active again.
   */
  update(deployment: Deployment, active: boolean, requestId?: string): Promise<HooksResult>;
  /** Run `deactivate` (if active), then erase everything. */
  remove(requestId?: string): Promise<void>;
  /** Refresh the owner's quotas after a change. */
  refreshQuotas(): Promise<void>;
  /** Check soon for lost accounts, because accounts have changed. */
  checkAccounts(): Promise<void>;
  /** Rewrap its secrets with the current master key. False while it is being changed: retry later. */
  rewrap(): Promise<boolean>;
  /**
   * Restore a missing alarm, and alert the owner of timers that missed two ticks. Returns the next ticks of all timers.
   */
  checkTimers(): Promise<Tick[]>;
  /** Restore a lost alarm. Returns whether it was lost. */
  keepAlarm(): Promise<boolean>;
  /** Resume work that a crash of the process interrupted, without waiting for the alarm. */
  recover(): Promise<void>;
  /**
   * The deployment that runs when no change is under way, or that ran before the change; null if nothing is deployed.
   */
  current(): Promise<JsonOf<Current> | null>;
  /** Null if nothing is deployed. A change that is under way is not in it. */
  snapshot(): Promise<JsonOf<Snapshot> | null>;
  /** Restore a snapshot, and run `activate` (if active). False if something is deployed already. */
  restore(snapshot: JsonOf<Snapshot>): Promise<boolean>;
  /** Run now: stored before this returns, with its results so far if the caller waited. */
  run(order: RunOrder): Promise<ManualRunResult>;
  events(query: EventQuery): Promise<EventPage>;
  /** Continue reading a page of events. */
  eventsAt(ids: string[], expand: boolean): Promise<EventPart>;
  /** Null if nothing is deployed. */
  state(query: StateQuery): Promise<StatePage | null>;
  /** Send an event again to all current listeners. Null: readers see no such event. */
  replay(id: string, requestId?: string): Promise<EventSummary | null>;
  deleteEvents(range: EventRange): Promise<void>;
};
