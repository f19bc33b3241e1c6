// @suites loader

import { beforeAll, expect, test } from "vitest";

import { clientOf, operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { connectOperations } from "../support/operations.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** A text that only the victim may read. */
const MARK = `marked-${crypto.randomUUID()}`;

const APP = `iso_${crypto.randomUUID().slice(0, 8)}`;

const TRIGGER = `export default {
  key: "${APP}-trigger", name: "Marked", version: "0.0.1", type: "source",
  props: { account: { type: "app", app: "${APP}" }, http: "$.interface.http" },
  run({ body }) { this.$emit(body); },
};`;

/** The victim's resources, by the names of path parameters. */
type Belongings = { customer: Customer; ids: Record<string, string> };

let victim: Belongings;
let stranger: Customer;

beforeAll(async () => {
  await operator.put(`/apps/${APP}`, { auth_type: "keys", fields: [{ name: "api_key" }] });
  await operator.post("/registry", { component_code: TRIGGER });
  const customer = await newCustomer();
  stranger = await newCustomer();
  victim = { customer, ids: await belongingsOf(customer) };
});

async function belongingsOf(customer: Customer): Promise<Record<string, string>> {
  const { server } = customer;
  const external_user_id = `victim-${MARK}`;
  const browser = await newBrowser(customer, external_user_id);
  const account = await browser.post("/accounts", {
    connect_token: browser.token,
    app_slug: APP,
    cfmap_json: JSON.stringify({ api_key: MARK }),
    name: MARK,
  });
  const deployed = await server.post("/triggers/deploy", {
    id: `${APP}-trigger`,
    external_user_id,
    configured_props: { account: { authProvisionId: account.body.id } },
    webhook_url: `https://${MARK}.example.com/`,
  });
  expect([account.status, deployed.status, deployed.body]).toEqual([
    200,
    200,
    expect.objectContaining({ data: expect.any(Object) }),
  ]);
  const trigger = deployed.body.data.id;
  const webhooks = await server.get(
    `/deployed-triggers/${trigger}/webhooks?external_user_id=${external_user_id}`,
  );
  const oauthApp = await server.post("/oauth_apps", {
    app: APP,
    client_id: MARK,
    client_secret: MARK,
    name: MARK,
  });
  const override = await server.post("/app_overrides", {
    app: APP,
    name: MARK,
    cfmap: { api_key: MARK },
  });
  await server.put("/webhook", { url: `https://${MARK}.example.com/project` });
  return {
    external_user_id,
    account_id: account.body.id,
    trigger_id: trigger,
    webhook_id: webhooks.body.webhooks[0].id,
    oauth_app_id: oauthApp.body.id,
    app_override_id: override.body.id,
    project: customer.project,
  };
}

/** All resources of the victim, as the victim's own server sees them. */
async function stateOf({ customer, ids }: Belongings): Promise<unknown[]> {
  const { server, connect, project } = customer;
  const named = `?external_user_id=${ids["external_user_id"]}`;
  const answers = [
    await connect.get(`/projects/${project}`),
    await server.get("/users"),
    await server.get("/accounts"),
    await server.get(`/deployed-triggers${named}`),
    await server.get(`/deployed-triggers/${ids["trigger_id"]}${named}`),
    await server.get(`/deployed-triggers/${ids["trigger_id"]}/webhooks${named}`),
    await server.get(`/deployed-triggers/${ids["trigger_id"]}/events${named}`),
    await server.get("/oauth_apps"),
    await server.get("/app_overrides"),
    await server.get("/webhook"),
  ];
  for (const { status } of answers) expect(status).toBe(200);
  return answers.map(({ body }) => body);
}

/** The path of an operation with the victim's ids. */
function pathOf(path: string, ids: Record<string, string>): string {
  const kinds: [RegExp, string][] = [
    [/^\/projects\//, "project"],
    [/\/webhooks\/\{/, "webhook_id"],
    [/\/oauth_apps\//, "oauth_app_id"],
    [/\/app_overrides\//, "app_override_id"],
    [/\/accounts\//, "account_id"],
    [/\/deployed-triggers\//, "trigger_id"],
    [/\/users\//, "external_user_id"],
  ];
  return path.replaceAll(/\{([^}]+)\}/g, (whole, name: string, at: number) => {
    if (name === "project") return ids["project"] ?? whole;
    const before = path.slice(0, at + whole.length);
    if (/\/webhooks\/\{[^}]+\}$/.test(before)) return ids["webhook_id"] ?? whole;
    if (/\/(?:components|actions|triggers)\/\{[^}]+\}$/.test(before)) return `${APP}-trigger`;
    const kind = kinds.find(([pattern, id]) => id !== "webhook_id" && pattern.test(before));
    return (kind && ids[kind[1]]) || APP;
  });
}

/** A body with all ids of the victim. */
function bodyOf(ids: Record<string, string>): object {
  const { account_id: account, external_user_id, trigger_id, oauth_app_id } = ids;
  return {
    external_user_id,
    account_id: account,
    oauth_app_id,
    id: `${APP}-trigger`,
    app: APP,
    app_slug: APP,
    cfmap_json: JSON.stringify({ api_key: "stolen" }),
    connect_token: "ctok_unknown",
    prop_name: "account",
    configured_props: { account: { authProvisionId: account } },
    name: "stolen",
    url: "https://stolen.example.com/",
    webhook_urls: ["https://stolen.example.com/"],
    workflow_ids: [],
    trigger_id,
    active: false,
    client_id: "stolen",
    client_secret: "stolen",
  };
}

/** Operations that may name another's resources; those that only create the caller's own are omitted. */
const WALKED = connectOperations.filter(({ path }) => path.includes("{"));

const STRANGERS = {
  "another customer's server": () => ({
    speaker: clientOf(stranger.token, "/v1/connect"),
    own: { project: stranger.project },
    headers: {},
  }),
  "the same server in the other environment": () => ({
    speaker: clientOf(victim.customer.token, "/v1/connect"),
    own: {},
    headers: { "x-pd-environment": "development" },
  }),
  "the browser of another user": async () => ({
    speaker: await newBrowser(victim.customer, `other-${crypto.randomUUID()}`),
    own: {},
    headers: {},
  }),
  "the browser of another customer's user": async () => ({
    speaker: await newBrowser(stranger, victim.ids["external_user_id"] ?? ""),
    own: { project: stranger.project },
    headers: {},
  }),
};

/** Operations on a project rather than an environment: its own server may use them in both. */
const OF_PROJECT = /^\/projects\/|\/oauth_apps|\/app_overrides|\/projects\/info/;

/** Send an operation with the victim's ids, and expect nothing of the victim in the response. */
async function readNothing(
  speaker: Pick<ReturnType<typeof clientOf>, "as">,
  { method, path, named, headers }: Walk,
): Promise<void> {
  const { ids } = victim;
  const isBodiless = method === "GET" || method === "DELETE";
  const query = `?external_user_id=${ids["external_user_id"]}&account_id=${ids["account_id"]}&include_credentials=true`;
  const answer = await speaker.as(method)(
    pathOf(path, named) + (isBodiless ? query : ""),
    isBodiless ? undefined : bodyOf(ids),
    headers,
  );
  // The response may repeat the request.
  const text = JSON.stringify(answer.body ?? "").replaceAll(`victim-${MARK}`, "");
  const isWell = answer.status < 500 || answer.status === 501;
  expect([method, path, isWell, text.includes(MARK)]).toEqual([method, path, true, false]);
}

type Walk = {
  method: string;
  path: string;
  named: Record<string, string>;
  headers: Record<string, string>;
};

test.each(Object.entries(STRANGERS))(
  "no operation reads or changes a customer's data: %s",
  { timeout: 60_000 },
  async (who, open) => {
    const { speaker, own, headers } = await open();
    const isSameServer = who.includes("environment");
    const before = await stateOf(victim);
    expect(JSON.stringify(before)).toContain(MARK);
    const { ids } = victim;
    const walked = isSameServer ? WALKED.filter(({ path }) => !OF_PROJECT.test(path)) : WALKED;
    // In the victim's project, and in the stranger's own with the victim's ids.
    for (const named of [ids, { ...ids, ...own }])
      for (const one of walked) await readNothing(speaker, { ...one, named, headers });
    expect(await stateOf(victim)).toEqual(before);
  },
);
