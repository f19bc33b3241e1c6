import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { clientOf, workspaceOf } from "../support/client.ts";
import { accessTokenOf, newBrowser, newCustomer } from "../support/connect.ts";

const now = () => Math.floor(Date.now() / 1000);
const dayStart = () => now() - (now() % 86_400);
const path = (from: number, to: number) => `/usage?start_ts=${from}&end_ts=${to}`;

/** Run an action once for an external user. */
async function run({ ada, server }: Awaited<ReturnType<typeof newCustomer>>) {
  const key = `act-${crypto.randomUUID()}`;
  await ada.post("/components", {
    component_code: `export default { key: "${key}", name: "Act", version: "0.1.0", type: "action",
      async run() { await new Promise((done) => setTimeout(done, 20)); } };`,
  });
  const { status } = await server.post("/actions/run", { id: key, external_user_id: "one" });
  expect(status).toBe(200);
}

test("what the projects' owner used is listed by day", async () => {
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

test("a user sees what the user's workspaces used, too", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  const component_code = `export default { name: "Act", version: "0.1.0", type: "action",
    async run() { await new Promise((done) => setTimeout(done, 20)); } };`;
  await ada.post("/actions/run", { component_code, workspace_id: workspace });
  await ada.post("/actions/run", { component_code });
  const { body } = await ada.get(`/connect${path(dayStart(), now() + 60)}`);
  expect(body.data).toMatchObject([{ credits_used: 2 }]);
});

test("a window has an end after its start, and browsers and clients of one project see no usage", async () => {
  const customer = await newCustomer();
  const { connect, ada, project } = customer;
  for (const query of ["", "?start_ts=1", "?start_ts=2&end_ts=2", "?start_ts=a&end_ts=2"])
    expect([query, (await connect.get(`/usage${query}`)).status]).toEqual([query, 400]);
  const browser = await newBrowser(customer, "one");
  expect(await browser.get(path(1, 2))).toMatchObject({ status: 403 });
  const { body } = await ada.post("/connect/oauth_clients", { name: "One", project_id: project });
  const { client_id: clientId, client_secret: clientSecret } = body.data;
  const token = await accessTokenOf({ clientId, clientSecret });
  const refused = await clientOf(token, "/v1/connect").get(path(1, 2));
  expect(refused).toMatchObject({ status: 403 });
});
