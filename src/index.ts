import { app } from "#api/app.ts";
import { ingress } from "#api/ingress.ts";
import { consume } from "#delivery/consumer.ts";
import { openExchange } from "#delivery/exchange.ts";
import type { EmissionMessage } from "#domain/messages.ts";

import { sweepRegularly } from "./sweeping.ts";

export { Mailing } from "./mailing.ts";
export { AccountObject } from "#account/object.ts";
export { ApphookObject } from "#apphook/object.ts";
export { Metering } from "./metering.ts";
export { Directory } from "./directory.ts";
export { DataStoreObject } from "#data-store/object.ts";
export { RateLimitObject } from "#rate-limit/object.ts";
export { Egress } from "#sandbox/egress.ts";
export { Run } from "#workflow/run.ts";
export { WorkflowObject } from "#workflow/object.ts";
export { ScriptsObject } from "#namespace/object.ts";
export { SourceObject } from "#source/object.ts";
export { WebhookObject } from "#webhook/object.ts";

export default {
  fetch: (request, env, ctx) => ingress(request, env) ?? app.fetch(request, env, ctx),
  scheduled: (_, env) => sweepRegularly(env),
  queue: (batch, env) => consume(batch, openExchange(env)),
} satisfies ExportedHandler<Env, EmissionMessage>;
