import { expect, inject, test } from "vitest";

import type { Json } from "#domain/json.ts";

import { deployed } from "../support/accounts.ts";
import { connected, HOUR, now, tokens } from "../support/oauth.ts";
import { deployWorkflow, runOnce } from "../support/workflow.ts";

/** Responds 200 to a request with the access token `new`, and 401 to any other. */
const API = `${inject("httpServer")}/bearer/new`;

/** A token that differs when it is encoded in a query. */
const ENCODED = "new+&=";

/** Responds with the URL of the request: 200 if `access_token` in its query is that token, else 401. */
const QUERY_API = `${inject("httpServer")}/query-token/${encodeURIComponent(ENCODED)}`;

/** An account with a token that the provider replaced before its expiry. */
const refused = (...script: Parameters<typeof connected>[0]) =>
  connected(script.length > 0 ? script : [tokens({ access_token: "new", expires_in: HOUR })], {
    expiresAt: now() + HOUR,
  });

type Account = Awaited<ReturnType<typeof refused>>;

const component = ({ app }: Account, body: string, props = "", imports = "") => `${imports}
  export default {
    name: "Caller", version: "0.0.1", ${props.includes("$.interface") ? "" : `type: "action",`}
    props: { app: { type: "app", app: "${app}" }, ${props} },
    async run(event) {
      const headers = { authorization: "Bearer " + this.app.$auth.oauth_access_token };
      ${body}
    },
  };`;

const HTTP = `http: "$.interface.http",`;

/** Deploy a source with an account, and return functions that run it and that read its events, newest first. */
async function deployWith(account: Account, code: string) {
  const { id, run } = await deployed(account.ada, code, { app: { authProvisionId: account.id } });
  const emitted = async (): Promise<Json[]> => {
    const path = `/sources/${id}/event_summaries?limit=100&expand=event&event_name=`;
    const { body } = await account.ada.get(path);
    return body.data.map(({ event }: { event: Json }) => event);
  };
  return { run, emitted };
}

/** Run a source once, and resolve to its event. */
async function ran({ run, emitted }: Awaited<ReturnType<typeof deployWith>>, event: Json = {}) {
  const { length } = await emitted();
  await run(event);
  await expect.poll(emitted).toHaveLength(length + 1);
  const [latest] = await emitted();
  return latest;
}

test.for([
  [
    "fetch, with a body",
    `const { status } = await fetch("${API}", { method: "POST", headers, body: "text" });`,
  ],
  [
    "a Request with a body",
    `const { status } = await fetch(new Request("${API}", { method: "PUT", headers, body: "text" }));`,
  ],
  [
    "a token that the component keeps",
    `const { status } = await fetch("${API}", { headers });
     const again = await fetch("${API}", { headers: [["Authorization", headers.authorization]] });
     if (again.status !== status) throw new Error("The kept token was refused: " + again.status);`,
  ],
  [
    "node:http",
    `const status = await new Promise((resolve, reject) => {
       http.request("${API}", { method: "POST", headers }, (response) => resolve(response.resume().statusCode))
         .on("error", reject).end("text");
     });`,
    `import http from "node:http";`,
  ],
] as const)(
  "renews a rejected token during a run that requests with %s",
  async ([, body, imports = ""]) => {
    const account = await refused();
    const emit = `this.$emit({ status, token: this.app.$auth.oauth_access_token });`;
    const source = await deployWith(account, component(account, body + emit, HTTP, imports));
    expect(await ran(source)).toEqual({ status: 200, token: "new" });
    expect(await ran(source)).toEqual({ status: 200, token: "new" });
    expect(await account.server.received()).toHaveLength(1);
  },
);

test.for([
  ["text", "fetch(url)"],
  ["a URL", `fetch(new URL(url), { method: "POST", body: "text" })`],
  ["a Request with a body", `fetch(new Request(url, { method: "PUT", body: "text" }))`],
] as const)(
  "renews a rejected token in the query of %s, and changes nothing else in it",
  async ([, call]) => {
    const account = await refused(tokens({ access_token: ENCODED, expires_in: HOUR }));
    const body = `
    const token = this.app.$auth.oauth_access_token;
    const url = "${QUERY_API}?q=" + token + "er%20%2C,&access_token=" + encodeURIComponent(token) + "&empty";
    const first = await ${call};
    const again = await ${call};
    this.$emit([first.status, await first.text(), again.status]);`;
    const source = await deployWith(account, component(account, body, HTTP));
    const sent = `${new URL(QUERY_API).pathname}?q=older%20%2C,&access_token=${encodeURIComponent(ENCODED)}&empty`;
    expect(await ran(source)).toEqual([200, sent, 200]);
    expect(await account.server.received()).toHaveLength(1);
  },
);

test("renews a token once for any number of runs with a rejected token", async () => {
  const account = await refused(tokens({ access_token: "new", expires_in: HOUR }, 200));
  const body = `
    const responses = await Promise.all([1, 2, 3].map(() => fetch("${API}", { headers })));
    this.$emit(responses.map(({ status }) => status));`;
  const source = await deployWith(account, component(account, body, HTTP));
  await Promise.all(Array.from({ length: 20 }, () => source.run()));
  await expect.poll(source.emitted).toHaveLength(20);
  expect(await source.emitted()).toEqual(Array.from({ length: 20 }, () => [200, 200, 200]));
  expect(await account.server.received()).toHaveLength(1);
});

test("does not send a stream twice, and uses the new token for the next request", async () => {
  const account = await refused();
  const body = `
    const text = new Response("text").body;
    const { status } = await fetch("${API}", { method: "POST", headers, body: text });
    this.$emit(status);`;
  const source = await deployWith(account, component(account, body, HTTP));
  expect(await ran(source)).toBe(401);
  expect(await ran(source)).toBe(200);
  expect(await account.server.received()).toHaveLength(1);
});

test("requests a renewal once if it fails, and the token stays rejected", async () => {
  const account = await refused({ status: 400, body: '{"error":"invalid_grant"}' });
  const body = `
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await fetch("${API}", { headers })).status);
    this.$emit(statuses);`;
  const source = await deployWith(account, component(account, body, HTTP));
  expect(await ran(source)).toEqual([401, 401, 401]);
  expect(await account.server.received()).toHaveLength(1);
  expect(await account.shown()).toMatchObject({ dead: true, healthy: false });
});

test("no component gets another account's token by reporting a foreign token as rejected", async () => {
  const account = await refused();
  const other = await refused();
  const body = `
    const { status } = await fetch("${API}", { headers: { authorization: "Bearer " + event.body.token } });
    this.$emit({ status, token: this.app.$auth.oauth_access_token });`;
  const source = await deployWith(account, component(account, body, HTTP));
  expect(await ran(source, { token: "guessed" })).toEqual({ status: 401, token: "old" });
  expect(await account.server.received()).toEqual([]);
  expect(await other.server.received()).toEqual([]);
});

test("renews a rejected token for actions, steps and the options of a prop", async () => {
  const call = `return (await fetch("${API}", { headers })).status;`;
  const action = await refused();
  const answered = await action.ada.post("/actions/run", {
    component_code: component(action, call),
    configured_props: { app: { authProvisionId: action.id } },
  });
  expect(answered).toMatchObject({ status: 200, body: { data: { ret: 200 } } });

  const step = await refused();
  const flow = await deployWorkflow({
    owner: step.ada,
    steps: [
      {
        name: "calls",
        component_code: component(step, call),
        props: { app: { authProvisionId: step.id } },
      },
    ],
  });
  const run = await runOnce(flow);
  expect(run.steps[0]).toMatchObject({ exports: { $return_value: 200 } });

  const choices = await refused();
  const options = `label: { type: "string", async options() {
    const headers = { authorization: "Bearer " + this.app.$auth.oauth_access_token };
    return [String((await fetch("${API}", { headers })).status)];
  } },`;
  const { body: created } = await choices.ada.post("/components", {
    component_code: component(choices, "", options),
  });
  const { body: chosen } = await choices.ada.post(`/components/${created.data.id}/options`, {
    prop_name: "label",
    configured_props: { app: { authProvisionId: choices.id } },
  });
  expect(chosen.data).toEqual({ options: [{ label: "200", value: "200" }] });
});
