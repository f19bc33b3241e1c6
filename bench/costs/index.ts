import worker, {
  Metering as PlatformMetering,
  SourceObject as Source,
  WebhookObject as Webhook,
} from "../../src/index.ts";
import { type Costs, ObjectCounter, QueryCounter } from "./counting.ts";

// Locally all objects share one isolate with the Worker, and so one count.
const d1 = new QueryCounter();
const source = new ObjectCounter();
const webhook = new ObjectCounter();

// Whatever is not counted is as it is.
export * from "../../src/index.ts";

export class Metering extends PlatformMetering {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, counted(env));
  }
}

export class SourceObject extends Source {
  constructor(ctx: DurableObjectState, env: Env) {
    source.watch(ctx.storage);
    super(ctx, counted(env));
  }
}

export class WebhookObject extends Webhook {
  constructor(ctx: DurableObjectState, env: Env) {
    webhook.watch(ctx.storage);
    super(ctx, counted(env));
  }
}

/** The platform as it is, and at `/costs` what it has asked of its databases. */
export default {
  ...worker,
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname === "/costs"
      ? Response.json(costs())
      : worker.fetch(request, counted(env), ctx),
  queue: (batch, env) => worker.queue(batch, counted(env)),
} satisfies typeof worker;

function counted(env: Env): Env {
  return { ...env, DB: d1.watch(env.DB) };
}

function costs(): Costs {
  return {
    d1: { roundTrips: d1.roundTrips, rowsWritten: d1.rowsWritten },
    source: { rowsWritten: source.rowsWritten() },
    webhook: { rowsWritten: webhook.rowsWritten() },
  };
}
