import { env as bindings } from "cloudflare:workers";

import worker, {
  Directory as PlatformDirectory,
  Metering as PlatformMetering,
  OwnerObject as Owner,
  Run as PlatformRun,
  SourceObject as Source,
  WebhookObject as Webhook,
  WorkflowObject as Workflow,
} from "../../../src/index.ts";
import { keepingActive, watchRequests } from "./activity.ts";
import { countedBindings, countedSteps } from "./bindings.ts";
import { onCall, watchStorage } from "./storage.ts";
import { Tally } from "./tally.ts";

// Locally all objects share one isolate with the Worker, and so one count.
const tally = new Tally();

// Everything else is unchanged.
export * from "../../../src/index.ts";

export class Metering extends PlatformMetering {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, countedBindings(env, tally));
  }
}

export class Directory extends PlatformDirectory {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, countedBindings(env, tally));
  }
}

export class SourceObject extends Source {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage, "source", tally);
    super(ctx, countedBindings(env, tally));
  }
}

export class WebhookObject extends Webhook {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage, "webhook", tally);
    super(ctx, countedBindings(env, tally));
  }
}

/** The ids of all objects of owners. */
const owners = new Set<string>();

export class OwnerObject extends Owner {
  readonly #dropAlarm: () => Promise<void>;

  constructor(ctx: DurableObjectState, env: Env) {
    const dropAlarm = ctx.storage.deleteAlarm.bind(ctx.storage);
    watchStorage(ctx.storage, "owner", tally);
    super(ctx, countedBindings(env, tally));
    this.#dropAlarm = () => dropAlarm();
    owners.add(ctx.id.toString());
  }

  /** Handle the alarm now, if it is set: minutes later it would fire among the events of other paths. */
  async fireAlarm(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) return;
    await this.alarm();
    await this.#dropAlarm();
  }
}

async function fireAlarmsOfOwners(): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class of this module.
  const objects = bindings.OWNERS as unknown as DurableObjectNamespace<OwnerObject>;
  for (const id of owners) await objects.get(objects.idFromString(id)).fireAlarm();
}

export class WorkflowObject extends Workflow {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage, "workflow", tally);
    super(ctx, countedBindings(env, tally));
  }
}

export class Run extends PlatformRun {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, countedBindings(env, tally));
  }

  override run(...[event, engine]: Parameters<PlatformRun["run"]>): Promise<void> {
    return super.run(event, countedSteps(engine, tally));
  }
}

watchRequests(OwnerObject.prototype, "owner", tally);
watchRequests(SourceObject.prototype, "source", tally);
watchRequests(WebhookObject.prototype, "webhook", tally);
watchRequests(WorkflowObject.prototype, "workflow", tally);

// An object that waits for a response or a timer is active.
const [send, wait] = [globalThis.fetch, scheduler.wait.bind(scheduler)];
globalThis.fetch = (...args: Parameters<typeof send>) => {
  tally.add("network.requests");
  return keepingActive(() => send(...args));
};
scheduler.wait = (...args) => keepingActive(() => wait(...args));
for (const dataset of [bindings.METRICS, bindings.EGRESS_USAGE])
  onCall(dataset, "writeDataPoint", () => tally.add("analytics.points"));
for (const level of ["log", "info", "warn", "error"] as const)
  onCall(console, level, () => tally.add("worker.logLines"));

/** The unchanged platform, and at `/costs` its counted use of its bindings; `/costs/flush` writes usage to D1 before. */
export default {
  ...worker,
  fetch: async (request, env, ctx) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/costs/flush") await fireAlarmsOfOwners();
    if (pathname.startsWith("/costs")) return Response.json(tally.counts());
    tally.add("worker.requests");
    return worker.fetch(request, countedBindings(env, tally), ctx);
  },
  queue: (batch, env) => {
    tally.add("worker.batches");
    tally.add("queue.read", batch.messages.length);
    for (const message of batch.messages)
      onCall(message, "retry", () => tally.add("queue.retried"));
    return worker.queue(batch, countedBindings(env, tally));
  },
} satisfies typeof worker;
