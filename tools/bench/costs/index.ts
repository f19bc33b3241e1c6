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

export class OwnerObject extends Owner {
  constructor(ctx: DurableObjectState, env: Env) {
    watchStorage(ctx.storage, "owner", tally);
    super(ctx, countedBindings(env, tally));
  }
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

/** The unchanged platform, and at `/costs` its counted use of its bindings. */
export default {
  ...worker,
  fetch: async (request, env, ctx) => {
    if (new URL(request.url).pathname === "/costs") return Response.json(tally.counts());
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
