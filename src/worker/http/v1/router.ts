import {
  documentOf,
  FIELD_PARAMETERS,
  madeOnce,
  withBearer,
  WORKSPACE_PARAMETERS,
} from "../document.ts";
import { describeFields } from "../field-texts/describe.ts";
import { V1_FIELDS } from "../field-texts/tables.ts";
import { createRouter } from "../openapi.ts";
import { accounts } from "./accounts.ts";
import { actionRuns } from "./action-runs.ts";
import { agentKeys } from "./agent-keys.ts";
import { alerts } from "./alerts.ts";
import { apiKeys } from "./api-keys.ts";
import { components } from "./components.ts";
import { dataStores } from "./data-stores.ts";
import { deliveries } from "./deliveries.ts";
import { V1_DESCRIPTIONS } from "./descriptions.ts";
import { events } from "./events.ts";
import { links } from "./links.ts";
import { manualRuns } from "./manual-runs.ts";
import { overview } from "./overview.ts";
import { ownWorkflows, ownWorkflowVersions } from "./own-workflows.ts";
import { propEvaluation } from "./prop-evaluation.ts";
import { ownImports, published, publishedVersions } from "./published.ts";
import { registry } from "./registry.ts";
import { searching } from "./search.ts";
import { sessions } from "./sessions.ts";
import { signInLinks } from "./sign-in-links.ts";
import { sourceDetails } from "./source-details.ts";
import { sources } from "./sources.ts";
import { streams } from "./streams.ts";
import { subscriptions } from "./subscriptions.ts";
import { timers } from "./timers.ts";
import { usage } from "./usage.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";
import { workflows } from "./workflows.ts";
import { workspaces } from "./workspaces.ts";

/** Every resource of the v1 API. */
export const v1 = withBearer(createRouter());
const RESOURCES = [
  // Before components, or `search` would be the key of one.
  registry,
  components,
  published,
  publishedVersions,
  ownImports,
  propEvaluation,
  overview,
  searching,
  links,
  sources,
  sourceDetails,
  actionRuns,
  manualRuns,
  events,
  streams,
  subscriptions,
  webhooks,
  deliveries,
  dataStores,
  sessions,
  signInLinks,
  accounts,
  alerts,
  users,
  apiKeys,
  agentKeys,
  usage,
  timers,
  workspaces,
  workflows,
  ownWorkflows,
  ownWorkflowVersions,
];
for (const resource of RESOURCES) v1.route("/", resource);

/** The OpenAPI document, with both `/orgs/…` and `/workspaces/…`. */
export const v1Document = madeOnce(() => {
  const document = describeFields(
    documentOf(v1, {
      title: "Wellspring",
      base: "/v1",
      parameters: { ...FIELD_PARAMETERS, ...WORKSPACE_PARAMETERS },
      descriptions: V1_DESCRIPTIONS,
      isLimited: true,
    }),
    V1_FIELDS,
  );
  const aliases = Object.entries(document.paths ?? {})
    .filter(([path]) => path.startsWith("/workspaces/"))
    .map(([path, methods]) => [
      path.replace("/workspaces/", "/orgs/"),
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, operationId: `${operation.operationId}ByOrg` },
        ]),
      ),
    ]);
  return { ...document, paths: { ...document.paths, ...Object.fromEntries(aliases) } };
});
