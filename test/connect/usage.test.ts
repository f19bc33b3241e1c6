// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { dayOf } from "#domain/billing.ts";
import { newId } from "#domain/ids.ts";
import { endDepartures } from "#services/connect/departures.ts";
import { openContext } from "#worker/bindings.ts";

import { clientOf, signUp, workspaceOf } from "../support/client.ts";
import { accessTokenOf, newBrowser, newCustomer } from "../support/connect.ts";
import { sendJson } from "../support/deploy.ts";
import { reportUsage } from "../support/usage.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

const now = () => Math.floor(Date.now() / 1000);
const dayStart = () => now() - (now() % 86_400);
const path = (from: number, to: number) => `/usage?start_ts=${from}&end_ts=${to}`;

/** Run an action once for an external user. */
async function run(
  { ada, server }: Pick<Customer, "ada" | "server">,
  { workspace_id, ...headers }: Record<string, string> = {},
) {
  const key = `act-${crypto.randomUUID()}`;
  await ada.post("/components", {
    component_code: `export default { key: "${key}", name: "Act", version: "0.1.0", type: "action",
      async run() { await new Promise((done) => setTimeout(done, 20)); } };`,
    ...(workspace_id !== undefined && { workspace_id }),
  });
  const { status } = await server.post(
    "/actions/run",
    { id: key, external_user_id: "one" },
    headers,
  );
  expect(status).toBe(200);
}

test("lists usage of the projects' owner by day", async () => {
  const customer = await newCustomer();
  const { connect, ada } = customer;
  const today = dayStart();
  const window = path(today - 86_400, now() + 60);
  expect((await connect.get(window)).body).toEqual({ data: [] });
  await run(customer);
  const used = [{ credits_used: 1, usage_start_ts: today, usage_end_ts: today + 86_400 }];
  expect((await connect.get(window)).body).toEqual({ data: used });
  expect((await ada.get(`/connect${window}`)).body).toEqual({ data: used });
  expect((await connect.get(path(today - 86_400, today))).body).toEqual({ data: [] });
  expect((await (await newCustomer()).connect.get(window)).body).toEqual({ data: [] });
});

test("a user also sees the usage of the user's workspaces", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  const component_code = `export default { name: "Act", version: "0.1.0", type: "action",
    async run() { await new Promise((done) => setTimeout(done, 20)); } };`;
  await ada.post("/actions/run", { component_code, workspace_id: workspace });
  await ada.post("/actions/run", { component_code });
  const { body } = await ada.get(`/connect${path(dayStart(), now() + 60)}`);
  expect(body.data).toMatchObject([{ credits_used: 2 }]);
});

/** A project of a customer, with an OAuth client for it alone. */
async function newProject({ ada }: Pick<Customer, "ada">, more: object = {}) {
  const { body: project } = await ada.post("/connect/projects", { name: "One", ...more });
  const { body } = await ada.post("/connect/oauth_clients", {
    name: "One",
    project_id: project.id,
    ...more,
  });
  const { client_id: clientId, client_secret: clientSecret } = body.data;
  const token = await accessTokenOf({ clientId, clientSecret });
  const server = clientOf(token, `/v1/connect/${project.id}`);
  return { ada, id: project.id as string, token, server, connect: clientOf(token, "/v1/connect") };
}

/** The credits of today that a client sees. */
async function creditsOf({ get }: Pick<Customer["connect"], "get">): Promise<number> {
  const { status, body } = await get(path(dayStart(), now() + 60));
  expect(status).toBe(200);
  return body.data.reduce(
    (sum: number, day: { credits_used: number }) => sum + day.credits_used,
    0,
  );
}

/** The same, after the report of a source. */
async function reported({ connect }: Pick<Customer, "connect">, sourceId: string) {
  await reportUsage(sourceId);
  return creditsOf(connect);
}

/** The Connect API, for a user of the v1 API. */
const asUser = ({ ada }: Pick<Customer, "ada">) => ({
  get: (below: string) => ada.get(`/connect${below}`),
});

const EMITTING = `export default { name: "Src", version: "0.1.0", props: { http: "$.interface.http" },
  async run({ body }) { await new Promise((done) => setTimeout(done, 20)); this.$emit(body); } };`;

/** Deploy a trigger for an external user. Returns the URL that runs it. */
async function triggerOf({ ada, server }: Pick<Customer, "ada" | "server">, user: string) {
  const key = `src-${crypto.randomUUID()}`;
  await ada.post("/components", {
    component_code: EMITTING.replace("name:", `key: "${key}", type: "source", name:`),
  });
  const { body } = await server.post("/triggers/deploy", { id: key, external_user_id: user });
  const { id, configured_props: props } = body.data;
  return { id: id as string, url: props.http.endpoint_url as string };
}

test("a client of one project sees the usage of the project's external users alone", async () => {
  const customer = await newCustomer();
  const [one, two] = [await newProject(customer), await newProject(customer)];
  await run(one);
  await run(one);
  await run(two);
  const trigger = await triggerOf(two, "two");
  for (const n of [1, 2]) await sendJson(trigger.url, { n });
  // Of no project: the owner's own source and action.
  const { body: source } = await customer.ada.post("/sources", { component_code: EMITTING });
  await sendJson(source.data.configured_props.http.endpoint_url, { n: 1 });
  await expect.poll(() => reported(two, trigger.id)).toBe(3);
  expect(await creditsOf(one.connect)).toBe(2);
  await expect.poll(() => reported(customer, source.data.id)).toBe(6);
  expect(await creditsOf(asUser(customer))).toBe(6);
  expect(await creditsOf((await newProject(customer)).connect)).toBe(0);
  expect(await creditsOf((await newProject(await newCustomer())).connect)).toBe(0);
});

test("both environments of a project count, and deleted users' usage", async () => {
  const customer = await newCustomer();
  const project = await newProject(customer);
  await run(project);
  await run(project, { "x-pd-environment": "development" });
  const trigger = await triggerOf(project, "one");
  await sendJson(trigger.url, { n: 1 });
  await expect.poll(() => reported(project, trigger.id)).toBe(3);
  expect((await project.server.delete("/users/one")).status).toBe(204);
  await endDepartures(openContext(env));
  expect(await creditsOf(project.connect)).toBe(3);
  expect(await creditsOf(customer.connect)).toBe(3);
});

test("a repeated or late report counts once for a project", async () => {
  const customer = await newCustomer();
  const project = await newProject(customer);
  await project.server.post("/tokens", { external_user_id: "one" });
  const { body } = await project.server.get("/users");
  const { id: ownerId } = body.data[0];
  const emitterId = newId("source");
  const day = dayOf(now());
  const report = (credits: number) =>
    env.OWNERS.getByName(ownerId).reportUsage({
      ownerId,
      emitterId,
      days: [{ day, invocations: credits, computeMs: credits, credits }],
    });
  await Promise.all([report(2), report(5), report(5), report(3)]);
  await report(4);
  expect(await creditsOf(project.connect)).toBe(5);
  expect(await creditsOf(customer.connect)).toBe(5);
});

test("a client of a workspace's project sees the usage of that project", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  const project = await newProject({ ada }, { workspace_id: workspace });
  const component_code = `export default { name: "Act", version: "0.1.0", type: "action",
    async run() { await new Promise((done) => setTimeout(done, 20)); } };`;
  await ada.post("/actions/run", { component_code, workspace_id: workspace });
  await run(project, { workspace_id: workspace });
  expect(await creditsOf(project.connect)).toBe(1);
  expect(await creditsOf(asUser({ ada }))).toBe(2);
});

test("a window ends after its start, and browsers see no usage", async () => {
  const customer = await newCustomer();
  const { connect } = customer;
  for (const query of ["", "?start_ts=1", "?start_ts=2&end_ts=2", "?start_ts=a&end_ts=2"])
    expect([query, (await connect.get(`/usage${query}`)).status]).toEqual([query, 400]);
  const browser = await newBrowser(customer, "one");
  expect(await browser.get(path(1, 2))).toMatchObject({ status: 403 });
});
