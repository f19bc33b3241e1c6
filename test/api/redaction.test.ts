import { expect, test } from "vitest";

import { newAccount } from "../support/accounts.ts";
import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { deployWorkflow, runOnce } from "../support/workflow.ts";

const SECRET = "hunter2-hunter2";
const TOKEN = "token-of-ada";

const PROPS = `props: { s: { type: "string", secret: true }, github: { type: "app", app: "github" } }`;

async function customer() {
  const user = await signUp();
  const account = await newAccount(user.user.id, {
    credentials: { oauth_access_token: TOKEN, region: "eu-central-1" },
  });
  return { user, props: { s: SECRET, github: { authProvisionId: account } }, account };
}

const words =
  "`${this.s} ${encodeURIComponent(this.github.$auth.oauth_access_token)} ${this.github.$auth.region}`";
const REDACTED = "[redacted] [redacted] eu-central-1";

test("the error of a hook has no secrets", async () => {
  const { user, props } = await customer();
  const component_code = `export default { name: "x", version: "1", ${PROPS}, hooks: { deploy() { throw new Error(${words}) } }, run() {} }`;
  const { status, body } = await user.post("/sources", { component_code, configured_props: props });
  expect(status).toBe(422);
  expect(body.error).toContain(REDACTED);
  expect(JSON.stringify(body)).not.toMatch(/hunter2|token-of-ada/);
});

test("errors and logs of a source have no secrets, and its events are its own", async () => {
  const { user, props } = await customer();
  const component_code = `export default { name: "x", version: "1",
    ${PROPS.replace("{ s:", `{ http: "$.interface.http", s:`)},
    run() { console.log(${words}); this.$emit({ text: this.s }); throw new Error(${words}) } }`;
  const { body } = await user.post("/sources", { component_code, configured_props: props });
  const { id, configured_props: configured } = body.data;
  await sendJson(configured.http.endpoint_url, {});
  const listed = async (path: string) =>
    (await user.get(`/sources/${id}/${path}?expand=event`)).body.data;
  await expect.poll(() => listed("$errors/event_summaries")).toHaveLength(1);
  const errors = await listed("$errors/event_summaries");
  const logs = await listed("$logs/event_summaries");
  expect(errors).toMatchObject([{ event: { error: { message: REDACTED } } }]);
  expect(logs.at(-1)).toMatchObject({ event: { message: REDACTED } });
  expect(JSON.stringify([errors, logs])).not.toMatch(/hunter2|token-of-ada/);
  expect(await listed("event_summaries")).toMatchObject([{ event: { text: SECRET } }]);
});

test("the record of a workflow's run has no secrets but in exports", async () => {
  const { user, props, account } = await customer();
  const component_code = `export default { name: "x", version: "1", type: "action", ${PROPS}, async run({ $ }) { console.log(${words}); $.export("text", this.s); $.flow.exit(${words}); } }`;
  const { body } = await user.post("/components", { component_code });
  const step = { name: "x", component_id: body.data.id, account, props: { s: props.s } };
  const run = await runOnce(await deployWorkflow({ owner: user, steps: [step] }));
  expect(run).toMatchObject({
    exit_reason: REDACTED,
    steps: [{ logs: [{ message: REDACTED }], exports: { text: SECRET } }],
  });
});

test("the log and the errors of an action have no secrets", async () => {
  const { user, props } = await customer();
  const component_code = `export default { name: "x", key: "x-x", version: "0.0.1", type: "action", ${PROPS}, async run() { console.log(${words}); throw new Error(${words}); } }`;
  const { body } = await user.post("/actions/run", { component_code, configured_props: props });
  expect(body.data.os).toMatchObject([{ msg: REDACTED }, { err: { message: REDACTED } }]);
  expect(JSON.stringify(body.data.os)).not.toMatch(/hunter2|token-of-ada/);
});

test("the error of options has no secrets", async () => {
  const { user, props } = await customer();
  const component_code = `export default { name: "x", version: "1", type: "action", ${PROPS.replace("{ s:", `{ o: { type: "string", options() { throw new Error(${words}) } }, s:`)}, run() {} }`;
  const saved = await user.post("/components", { component_code });
  const { status, body } = await user.post(`/components/${saved.body.data.id}/options`, {
    prop_name: "o",
    configured_props: props,
  });
  expect([status, body.error]).toEqual([422, `options of o failed: ${REDACTED}`]);
});

/** Breaks the harness, so that its call rejects with a text of the component's. */
const breaks = `{ const text = ${words}; Array.isArray = () => { throw new Error(text) } }`;

test("what an isolate rejects with has no secrets", async () => {
  const { user, props, account } = await customer();
  const member = (code: string, more = "") =>
    `export default { name: "x", key: "x-x", version: "0.0.1", ${more} ${PROPS}, ${code} }`;

  const component_code = member(`hooks: { deploy() ${breaks} }, run() {}`);
  const hook = await user.post("/sources", { component_code, configured_props: props });
  expect([hook.status, hook.body.error]).toEqual([422, expect.stringContaining(REDACTED)]);

  const action = member(`run() ${breaks}`, 'type: "action",');
  const ran = await user.post("/actions/run", { component_code: action, configured_props: props });
  expect(ran.body.data.os).toMatchObject([{ err: { message: REDACTED } }]);

  const saved = await user.post("/components", { component_code: action });
  const step = { name: "x", component_id: saved.body.data.id, account, props: { s: props.s } };
  const run = await runOnce(await deployWorkflow({ owner: user, steps: [step] }));
  expect(run).toMatchObject({ state: "failed", error: { message: REDACTED } });
  expect(JSON.stringify([hook.body, ran.body.data.os, run.error])).not.toMatch(
    /hunter2|token-of-ada/,
  );
});
