import type { MiddlewareHandler } from "hono";
import { except } from "hono/combine";

import { HealthMemory, healthOf } from "#services/health.ts";
import { openContext } from "#worker/bindings.ts";
import { probesOf } from "#worker/health-checks.ts";

import { backup } from "./admin/backup.ts";
import { globalCaller } from "./admin/registry.ts";
import { admin, adminDocument } from "./admin/router.ts";
import { admitWorkspaceOfBody, authenticate, authenticateOperator } from "./authenticate.ts";
import { sendSignedFile } from "./connect/file-stash.ts";
import { oauthToken } from "./connect/oauth-token.ts";
import { connectPages } from "./connect/page/routes.ts";
import { connect, connectDocument } from "./connect/router.ts";
import { consoleFile } from "./console/page.ts";
import { consoleSession } from "./console/session.ts";
import { allowBrowsers } from "./cors.ts";
import { operatorDocument, referencePage, siteFile } from "./docs.ts";
import type { AppEnv } from "./env.ts";
import { handleError } from "./errors.ts";
import { readFields, selectFields } from "./fields.ts";
import { authenticateAgent } from "./mcp/auth.ts";
import { authorizePages } from "./mcp/oauth-page.ts";
import { agentOauth } from "./mcp/oauth.ts";
import { mcpEndpoint } from "./mcp/server.ts";
import { createRouter } from "./openapi.ts";
import { readParams } from "./params.ts";
import { refuseUnrouted, routingPath } from "./paths.ts";
import { keepPrivate } from "./private.ts";
import { sendRateLimit } from "./rate-limit.ts";
import { archiveUpload } from "./registry-import-routes.ts";
import { logRequest } from "./request-log.ts";
import { componentSchema, workflowSchema } from "./schemas.ts";
import { limitSizes } from "./size-limits.ts";
import { nameUnknownFields } from "./unknown-fields.ts";
import { registryCaller } from "./v1/published.ts";
import { v1, v1Document } from "./v1/router.ts";

const health = new HealthMemory();

export const app = createRouter({ getPath: routingPath });
app.onError(handleError);
app.notFound(refuseUnrouted(app));

app.use(openRequest());
app.get("/health", async (c) => {
  const check = () => healthOf(probesOf(c.env));
  const { healthy, checks } = await health.recall(check, Date.now());
  const { RELEASE: release, COMMIT: commit } = c.env;
  const build = { release, ...(commit && { commit }) };
  if (healthy) return c.json({ status: "ok", ...build, checks });
  const error = "A dependency is unhealthy";
  return c.json({ error, code: "unavailable", details: { ...build, checks } }, 503);
});
app.use("/v1/*", allowBrowsers);
app.get("/v1/openapi.json", (c) => c.json(v1Document()));
app.get("/docs/api", referencePage);
app.get("/docs/api/admin.json", operatorDocument);
app.get("/docs", siteFile());
app.get("/docs/*", siteFile());
app.get("/llms.txt", siteFile("/docs/llms.txt"));
app.get("/", (c) => c.redirect("/console/"));

app.use("/schemas/*", allowBrowsers);
app.get("/schemas/workflow.json", workflowSchema);
app.get("/schemas/component.json", componentSchema);

app.use("/connect/*", keepPrivate, limitSizes, sendRateLimit);
app.use("/_static/*", keepPrivate, limitSizes, sendRateLimit);
app.route("/", connectPages);

app.use("/console/session", keepPrivate, limitSizes, sendRateLimit);
app.route("/", consoleSession);
// Every other path there is the console's own.
app.get("/console/*", consoleFile);

app.post("/v1/oauth/token", limitSizes, oauthToken);
app.get("/v1/connect/openapi.json", (c) => c.json(connectDocument()));
app.get("/v1/connect/stashes/:stash/*", keepPrivate, limitSizes, sendSignedFile);
app.use("/v1/connect/*", keepPrivate, limitSizes, sendRateLimit);
// The body of a proxied request is parsed by the target.
app.use("/v1/connect/*", except("/v1/connect/:project/proxy/*", readParams));
app.route("/v1/connect", connect);

app.use("/v1/*", keepPrivate, limitSizes, sendRateLimit, authenticate);
// Its body is an archive, and has no parameters.
app.put(
  "/v1/registry/imports/:id/archive",
  readFields,
  selectFields(v1Document, "/v1"),
  archiveUpload(registryCaller),
);
app.use("/v1/*", readParams, admitWorkspaceOfBody, nameUnknownFields(v1Document, "/v1"));
app.use("/v1/*", selectFields(v1Document, "/v1"));
app.route("/v1", v1);

app.use("/oauth/*", limitSizes);
app.route("/", agentOauth);
app.route("/", authorizePages);
app.use("/mcp", keepPrivate, limitSizes, sendRateLimit);
app.post("/mcp", authenticateAgent, mcpEndpoint);

app.use("/admin/*", keepPrivate, limitSizes, authenticateOperator);
app.route("/admin/backup", backup);
app.put(
  "/admin/registry/imports/:id/archive",
  readFields,
  selectFields(adminDocument, "/admin"),
  archiveUpload(globalCaller),
);
app.use(
  "/admin/*",
  readParams,
  nameUnknownFields(adminDocument, "/admin"),
  selectFields(adminDocument, "/admin"),
);
app.get("/admin/openapi.json", (c) => c.json(adminDocument()));
app.route("/admin", admin);

function openRequest(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startMs = Date.now();
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    c.set("platform", openContext(c.env, new URL(c.req.url).origin, requestId));
    const done = next();
    // A caller that disconnects does not interrupt a change.
    c.executionCtx.waitUntil(done);
    await done;
    c.res.headers.set("x-request-id", c.var.requestId);
    c.res.headers.set("x-content-type-options", "nosniff");
    c.res.headers.set("server-timing", `d1;desc="${c.var.platform.roundTrips()}"`);
    logRequest(c, Date.now() - startMs);
  };
}
