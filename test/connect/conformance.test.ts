import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { clientOf, operator, request } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";
import { newReceiver } from "../support/webhook.ts";

/** The values that calls use, some of them from earlier calls. */
type World = Record<string, string>;

/** The request of a method of the SDK: the verb, the path below `/v1/connect`, and a body. */
type Call = (world: World) => [verb: string, path: string, body?: object | undefined];

/** Each method with its call, and the path in its response of a value for later calls. They run in this order. */
const METHODS: [method: string, call: Call, makes?: [name: string, path: string]][] = [
  ["projects.create", () => ["POST", "/projects", { name: "Second" }], ["second", "id"]],
  ["projects.list", () => ["GET", "/projects?limit=1"]],
  ["projects.retrieve", (w) => ["GET", `/projects/${w["second"]}`]],
  ["projects.update", (w) => ["PATCH", `/projects/${w["second"]}`, { name: "Renamed" }]],
  [
    "projects.updateLogo",
    (w) => [
      "POST",
      `/projects/${w["second"]}/logo`,
      { logo: "data:image/png;base64,iVBORw0KGgo=" },
    ],
  ],
  ["projects.delete", (w) => ["DELETE", `/projects/${w["second"]}`]],
  ["projects.retrieveInfo", (w) => ["GET", `/${w["project"]}/projects/info`]],
  [
    "tokens.create",
    (w) => ["POST", `/${w["project"]}/tokens`, { external_user_id: "one" }],
    ["token", "token"],
  ],
  ["tokens.validate", (w) => ["GET", `/tokens/${w["token"]}/validate?app_id=${w["app"]}`]],
  ["users.list", (w) => ["GET", `/${w["project"]}/users?q=one`]],
  ["apps.list", (w) => ["GET", `/apps?q=${w["app"]}`]],
  ["apps.retrieve", (w) => ["GET", `/apps/${w["app"]}`]],
  ["appCategories.list", () => ["GET", "/app_categories"]],
  ["appCategories.retrieve", (w) => ["GET", `/app_categories/${w["category"]}`]],
  [
    "accounts.create",
    (w) => [
      "POST",
      `/${w["project"]}/accounts?external_user_id=one`,
      { app_slug: w["app"], cfmap_json: `{"api_key":"k"}`, connect_token: w["token"] },
    ],
    ["account", "id"],
  ],
  ["accounts.list", (w) => ["GET", `/${w["project"]}/accounts?external_user_id=one`]],
  ["accounts.retrieve", (w) => ["GET", `/${w["project"]}/accounts/${w["account"]}`]],
  ["accounts.listByExternalUser", (w) => ["GET", `/${w["project"]}/users/one/accounts`]],
  [
    "oauthApps.create",
    (w) => [
      "POST",
      `/${w["project"]}/oauth_apps`,
      { app: w["app"], client_id: "c", client_secret: "s" },
    ],
    ["client", "id"],
  ],
  ["oauthApps.list", (w) => ["GET", `/${w["project"]}/oauth_apps`]],
  ["oauthApps.retrieve", (w) => ["GET", `/${w["project"]}/oauth_apps/${w["client"]}`]],
  ["oauthApps.update", (w) => ["PUT", `/${w["project"]}/oauth_apps/${w["client"]}`, { name: "b" }]],
  ["oauthApps.delete", (w) => ["DELETE", `/${w["project"]}/oauth_apps/${w["client"]}`]],
  [
    "appOverrides.create",
    (w) => ["POST", `/${w["project"]}/app_overrides`, { app: w["app"], name: "a", cfmap: {} }],
    ["override", "id"],
  ],
  ["appOverrides.list", (w) => ["GET", `/${w["project"]}/app_overrides`]],
  ["appOverrides.retrieve", (w) => ["GET", `/${w["project"]}/app_overrides/${w["override"]}`]],
  [
    "appOverrides.update",
    (w) => ["PUT", `/${w["project"]}/app_overrides/${w["override"]}`, { name: "b" }],
  ],
  ["appOverrides.delete", (w) => ["DELETE", `/${w["project"]}/app_overrides/${w["override"]}`]],
  ...["components", "actions", "triggers"].flatMap((kind) => componentCalls(kind)),
  [
    "actions.run",
    (w) => [
      "POST",
      `/${w["project"]}/actions/run`,
      { ...configured(w, "action"), stash_id: "NEW" },
    ],
    ["stash", "stash_id"],
  ],
  ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((verb): (typeof METHODS)[number] => [
    `proxy.${verb.toLowerCase()}`,
    (w) => [
      verb,
      `/${w["project"]}/proxy/${encodeURIComponent(btoa(`${w["receiver"]}${verb}`))}?external_user_id=one&account_id=${w["account"]}`,
      verb === "GET" || verb === "DELETE" ? undefined : { size: 1 },
    ],
  ]),
  [
    "triggers.deploy",
    (w) => [
      "POST",
      `/${w["project"]}/triggers/deploy`,
      { ...configured(w, "trigger"), webhook_url: w["receiver"] },
    ],
    ["deployed", "data.id"],
  ],
  ["deployedTriggers.list", (w) => ["GET", `/${w["project"]}/deployed-triggers?${ONE}`]],
  ["deployedTriggers.retrieve", (w) => ["GET", `${deployed(w)}?${ONE}`]],
  [
    "deployedTriggers.update",
    (w) => ["PUT", deployed(w), { external_user_id: "one", name: "Renamed" }],
  ],
  ["deployedTriggers.listEvents", (w) => ["GET", `${deployed(w)}/events?${ONE}&n=1`]],
  [
    "deployedTriggers.listWebhooks",
    (w) => ["GET", `${deployed(w)}/webhooks?${ONE}`],
    ["webhook", "webhooks.0.id"],
  ],
  [
    "deployedTriggers.retrieveWebhook",
    (w) => ["GET", `${deployed(w)}/webhooks/${w["webhook"]}?${ONE}`],
  ],
  [
    "deployedTriggers.regenerateWebhookSigningKey",
    (w) => ["POST", `${deployed(w)}/webhooks/${w["webhook"]}/regenerate_signing_key?${ONE}`],
  ],
  [
    "deployedTriggers.updateWebhooks",
    (w) => ["PUT", `${deployed(w)}/webhooks`, { external_user_id: "one", webhook_urls: [] }],
  ],
  [
    "deployedTriggers.updateWorkflows",
    (w) => [
      "PUT",
      `${deployed(w)}/pipelines`,
      { external_user_id: "one", workflow_ids: [w["workflow"]] },
    ],
  ],
  ["deployedTriggers.listWorkflows", (w) => ["GET", `${deployed(w)}/pipelines?${ONE}`]],
  ["deployedTriggers.delete", (w) => ["DELETE", `${deployed(w)}?${ONE}`]],
  [
    "projectEnvironment.updateWebhook",
    (w) => ["PUT", `/${w["project"]}/webhook`, { url: w["receiver"] }],
  ],
  ["projectEnvironment.retrieveWebhook", (w) => ["GET", `/${w["project"]}/webhook`]],
  [
    "projectEnvironment.regenerateWebhookSigningKey",
    (w) => ["POST", `/${w["project"]}/webhook/regenerate_signing_key`],
  ],
  ["projectEnvironment.deleteWebhook", (w) => ["DELETE", `/${w["project"]}/webhook`]],
  ["usage.list", () => ["GET", "/usage?start_ts=1700000000&end_ts=1700086400"]],
  ["accounts.deleteByApp", (w) => ["DELETE", `/${w["project"]}/apps/${w["app"]}/accounts`]],
  ["users.deleteExternalUser", (w) => ["DELETE", `/${w["project"]}/users/one`]],
];

const ONE = "external_user_id=one";

function deployed(w: World): string {
  return `/${w["project"]}/deployed-triggers/${w["deployed"]}`;
}

function configured(w: World, kind: string) {
  return {
    id: `${w["app"]}-${kind}`,
    external_user_id: "one",
    configured_props: { shop: { authProvisionId: w["account"] } },
  };
}

function componentCalls(kind: string): typeof METHODS {
  const name = kind === "triggers" ? "trigger" : "action";
  return [
    [`${kind}.list`, (w) => ["GET", `/${w["project"]}/${kind}?app=${w["app"]}`]],
    [`${kind}.retrieve`, (w) => ["GET", `/${w["project"]}/${kind}/${w["app"]}-${name}`]],
    [
      `${kind}.configureProp`,
      (w) => [
        "POST",
        `/${w["project"]}/${kind}/configure`,
        { ...configured(w, name), prop_name: "shelf" },
      ],
    ],
    [`${kind}.reloadProps`, (w) => ["POST", `/${w["project"]}/${kind}/props`, configured(w, name)]],
  ];
}

/** A project with an app, an action, a trigger and a workflow, and an API that responds to every request. */
async function newWorld(): Promise<World & { access: string; owner: string }> {
  const [customer, receiver] = [await newCustomer(), await newReceiver()];
  const app = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${app}`, {
    auth_type: "keys",
    categories: [app],
    fields: [{ name: "api_key" }],
    request: { hosts: [new URL(receiver.url).host], headers: { "x-api-key": "{{api_key}}" } },
  });
  const props = `shop: { type: "app", app: "${app}" }, shelf: { type: "string", optional: true, options: ["a"] }`;
  for (const code of [
    `{ key: "${app}-action", type: "action", props: { ${props} }, run() {} }`,
    `{ key: "${app}-trigger", type: "source", props: { ${props}, http: "$.interface.http" }, run() {} }`,
  ])
    await operator.post("/registry", {
      component_code: `export default { name: "a", version: "0.0.1", ...${code} }`,
    });
  const { body: workflow } = await operator.post("/workflows", {
    owner_id: customer.ada.user.id,
    name: "Hearing",
    trigger: { type: "http", custom_response: true },
    steps: [
      { name: "respond", component_code: "export default ({ $ }) => $.respond({ status: 201 })" },
    ],
  });
  return {
    access: customer.token,
    owner: customer.clientId,
    project: customer.project,
    app,
    category: app.replace("_", "-"),
    receiver: receiver.url.replace(/\/?$/, "/"),
    workflow: workflow.data.id,
    endpoint: workflow.data.trigger.endpoint_url,
  };
}

/** The value at a path of names with dots between them. */
function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, name) => Object(inner)[name], value);
}

test("every request of a method of the SDK succeeds", async () => {
  const { access, owner: _, ...world } = await newWorld();
  const client = clientOf(access, "/v1/connect");
  const failed: unknown[] = [];
  for (const [method, call, makes] of METHODS) {
    const [verb, path, body] = call(world);
    const answer = await client.as(verb)(path, body);
    const isWell = answer.status === 200 || answer.status === 204;
    if (!isWell) failed.push([method, answer.status, answer.body]);
    if (makes) world[makes[0]] = String(at(answer.body, makes[1]));
  }
  expect(failed).toEqual([]);
});

test("with those of tokens, files and workflows, the methods are all seventy", async () => {
  const elsewhere = [
    "accounts.delete",
    "fileStash.downloadFile",
    "oauthTokens.create",
    "workflows.invoke",
    "workflows.invokeForExternalUser",
  ];
  const names = [...METHODS.map(([method]) => method), ...elsewhere];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(70);
  const { endpoint = "" } = await newWorld();
  const { pathname } = new URL(endpoint);
  const answer = await request("POST", pathname.toLowerCase(), {
    body: {},
    headers: { "x-pd-external-user-id": "one" },
  });
  expect(answer.status).toBe(201);
});
