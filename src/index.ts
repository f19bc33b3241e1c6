import type { EmissionMessage } from "#domain/messages.ts";
import { dropBody } from "#http/unread-body.ts";
import { during } from "#telemetry/under-way.ts";
import { sweepRegularly } from "#worker/cron.ts";
import { app } from "#worker/http/app.ts";
import { ingress } from "#worker/ingress.ts";
import { consume } from "#worker/queue/consumer.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

export { Mailing } from "#worker/rpc/mail.ts";
export { AccountObject } from "#durable-objects/account/object.ts";
export { ApphookObject } from "#durable-objects/apphook/object.ts";
export { Metering } from "#worker/rpc/usage.ts";
export { Lifecycle } from "#worker/rpc/lifecycle.ts";
export { Directory } from "#worker/rpc/directory.ts";
export { DataStoreObject } from "#durable-objects/data-store/object.ts";
export { OwnerObject } from "#durable-objects/owner/object.ts";
export { RateLimitObject } from "#durable-objects/rate-limit/object.ts";
export { Importing } from "#worker/rpc/importing.ts";
export { StoredCode } from "#worker/rpc/stored-code.ts";
export { BundlerHost } from "#worker/rpc/bundler-host.ts";
export { SandboxHost } from "#worker/rpc/sandbox-host.ts";
export { Egress } from "#sandbox/egress/entrypoint.ts";
export { RegistryImport } from "#worker/registry-import.ts";
export { Run } from "#durable-objects/workflow/run.ts";
export { WorkflowObject } from "#durable-objects/workflow/object.ts";
export { ScriptsObject } from "#durable-objects/dispatch-namespace/object.ts";
export { SourceObject } from "#durable-objects/source/object.ts";
export { WebhookObject } from "#durable-objects/webhook/object.ts";

export default {
  fetch: (request, env, ctx) =>
    during("requests", async () => {
      const response = await (ingress(request, env) ?? app.fetch(request, env, ctx));
      await dropBody(request);
      return response;
    }),
  scheduled: (_, env) => sweepRegularly(env),
  queue: (batch, env) => consume(batch, createRouterDeps(env)),
} satisfies ExportedHandler<Env, EmissionMessage>;
