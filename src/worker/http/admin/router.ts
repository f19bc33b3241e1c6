import { documentOf, FIELD_PARAMETERS, madeOnce, withBearer } from "../document.ts";
import { describeFields } from "../field-texts/describe.ts";
import { ADMIN_FIELDS } from "../field-texts/tables.ts";
import { createRouter } from "../openapi.ts";
import { accounts } from "./accounts.ts";
import { agentQuotas } from "./agent-quotas.ts";
import { agentSubscriptions } from "./agent-subscriptions.ts";
import { alerts } from "./alerts.ts";
import { apphooks } from "./apphooks.ts";
import { apps } from "./apps.ts";
import { dataStores } from "./data-stores.ts";
import { deliveries } from "./deliveries.ts";
import { ADMIN_DESCRIPTIONS } from "./descriptions.ts";
import { egress } from "./egress.ts";
import { mailbox } from "./mailbox.ts";
import { metrics } from "./metrics.ts";
import { oauthApps } from "./oauth-apps.ts";
import { quotas } from "./quotas.ts";
import { registry, registryImports, registryVersions } from "./registry.ts";
import { secrets } from "./secrets.ts";
import { userSessions } from "./sessions.ts";
import { signInLinks } from "./sign-in-links.ts";
import { usage } from "./usage.ts";
import { userDirectory } from "./user-directory.ts";
import { users } from "./users.ts";
import { workflows, workflowVersions } from "./workflows.ts";
import { workspaces } from "./workspaces.ts";

/** The API for operators: operations beyond the specification of the v1 API. */
export const admin = withBearer(createRouter());
const RESOURCES = [
  users,
  userDirectory,
  userSessions,
  signInLinks,
  workspaces,
  quotas,
  usage,
  egress,
  metrics,
  registry,
  registryVersions,
  registryImports,
  accounts,
  agentQuotas,
  agentSubscriptions,
  alerts,
  oauthApps,
  apps,
  apphooks,
  dataStores,
  workflows,
  workflowVersions,
  deliveries,
  mailbox,
  secrets,
];
for (const resource of RESOURCES) admin.route("/", resource);

export const adminDocument = madeOnce(() =>
  describeFields(
    documentOf(admin, {
      title: "Wellspring: operator plane",
      base: "/admin",
      parameters: FIELD_PARAMETERS,
      descriptions: ADMIN_DESCRIPTIONS,
    }),
    ADMIN_FIELDS,
  ),
);
