import { ENVIRONMENTS } from "#domain/connect.ts";

import { documentOf, madeOnce, withBearer } from "../document.ts";
import { describeFields } from "../field-texts/describe.ts";
import { CONNECT_FIELDS } from "../field-texts/tables.ts";
import { createRouter } from "../openapi.ts";
import { connectedAccounts } from "./accounts.ts";
import { actionRuns } from "./action-runs.ts";
import { agentQuotas } from "./agent-quotas.ts";
import { appOverrides } from "./app-overrides.ts";
import { apps, projectInfo } from "./apps.ts";
import { admitToProject, authenticateCaller, inScope, refuseBrowsers } from "./authenticate.ts";
import { actions, components, triggers } from "./components.ts";
import { deployedTriggers } from "./deployed-triggers.ts";
import { CONNECT_DESCRIPTIONS } from "./descriptions.ts";
import { externalUsers } from "./external-users.ts";
import { fileStash } from "./file-stash.ts";
import { projectOauthApps } from "./oauth-apps.ts";
import { oauthClients } from "./oauth-clients.ts";
import { projectWebhook } from "./project-webhook.ts";
import { projects } from "./projects.ts";
import { proxy } from "./proxy.ts";
import { tokenValidation } from "./token-validation.ts";
import { tokens } from "./tokens.ts";
import { triggerListeners } from "./trigger-listeners.ts";
import { usage } from "./usage.ts";

/** The API with which products act for their own users. */
export const connect = withBearer(createRouter());

/** The kinds of resources that only servers may see. */
const FOR_SERVERS = new Set([
  "app_overrides",
  "file_stash",
  "oauth_apps",
  "tokens",
  "users",
  "webhook",
]);

/** The kinds of resources of a project, by their path segment, and the required scopes. */
const KINDS = {
  accounts: "accounts",
  app_overrides: "app_overrides",
  apps: "accounts",
  oauth_apps: "oauth_apps",
  projects: "projects",
  actions: "actions",
  components: "components",
  "deployed-triggers": "deployed_triggers",
  triggers: "triggers",
  file_stash: "file_stash",
  proxy: "proxy",
  tokens: "tokens",
  users: "users",
  webhook: "webhook",
};

connect.route("/", tokenValidation);
connect.use(authenticateCaller);
for (const path of ["/apps/*", "/app_categories/*"]) connect.use(path, inScope("apps"));
connect.use("/projects/*", refuseBrowsers, inScope("projects"));
connect.use("/oauth_clients/*", refuseBrowsers);
connect.use("/usage", refuseBrowsers, inScope("usage"));
for (const [segment, kind] of Object.entries(KINDS)) {
  const paths = `/:project{proj_[^/]*}/${segment}/*`;
  if (FOR_SERVERS.has(segment)) connect.use(paths, refuseBrowsers);
  connect.use(paths, inScope(kind), admitToProject);
}
// A holder of a webhook's signing key could send forged events to the customer.
for (const part of ["webhooks", "pipelines"])
  connect.use(`/:project{proj_[^/]*}/deployed-triggers/:id/${part}/*`, refuseBrowsers);
for (const resource of [
  apps,
  projects,
  projectInfo,
  projectWebhook,
  oauthClients,
  tokens,
  externalUsers,
  agentQuotas,
  connectedAccounts,
  projectOauthApps,
  appOverrides,
  actionRuns,
  components,
  actions,
  deployedTriggers,
  triggerListeners,
  triggers,
  fileStash,
  proxy,
  usage,
])
  connect.route("/", resource);

/** Parameters of a project's requests. */
const PROJECT_PARAMETERS = {
  "x-pd-environment": {
    name: "x-pd-environment",
    in: "header" as const,
    required: false,
    description: "The environment of the project; absent: production, or that of the connect token",
    schema: { type: "string" as const, enum: [...ENVIRONMENTS], example: "development" },
  },
};

export const connectDocument = madeOnce(() =>
  describeFields(
    documentOf(connect, {
      title: "Wellspring: Connect",
      base: "/v1/connect",
      parameters: PROJECT_PARAMETERS,
      takesParameters: (path) => path.startsWith("/{project}/"),
      descriptions: CONNECT_DESCRIPTIONS,
      isLimited: true,
    }),
    CONNECT_FIELDS,
  ),
);
