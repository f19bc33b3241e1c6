import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

const STEP = { name: "one", component_code: code("return 1") };

async function create(fields: object) {
  const { user } = await signUp();
  return operator.post("/workflows", { owner_id: user.id, name: "Flow", steps: [STEP], ...fields });
}

const MAILING = `export default { props: { subject: "string" }, run() {} };`;

test("an owner creates, reads, lists, changes and deletes a workflow", async () => {
  const { user } = await signUp();
  const { body } = await operator.post("/workflows", {
    owner_id: user.id,
    name: "Greet",
    steps: [{ ...STEP, retries: { limit: 2 } }],
  });
  expect(body.data).toEqual({
    id: expect.stringMatching(/^p_/),
    version: 1,
    deployment_id: expect.stringMatching(/^d_/),
    owner_id: user.id,
    name: "Greet",
    active: true,
    trigger: { type: "none" },
    steps: [{ ...STEP, props: {}, retries: { limit: 2, delay_seconds: 0 } }],
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  });
  const { id } = body.data;
  expect((await operator.get(`/workflows/${id}`)).body.data).toEqual(body.data);
  const listed = await operator.get(`/workflows?owner_id=${user.id}`);
  expect(listed.body).toMatchObject({ page_info: { total_count: 1 }, data: [body.data] });

  const changed = await operator.put(`/workflows/${id}`, {
    name: "Greet again",
    trigger: { type: "timer", cron: "0 9 * * *", timezone: "Europe/Berlin" },
  });
  expect(changed.body.data).toMatchObject({
    id,
    name: "Greet again",
    trigger: { type: "timer", cron: "0 9 * * *", timezone: "Europe/Berlin" },
    steps: body.data.steps,
  });
  expect(changed.body.data.deployment_id).not.toBe(body.data.deployment_id);
  expect(await operator.delete(`/workflows/${id}`)).toMatchObject({ status: 204 });
  expect(await operator.delete(`/workflows/${id}`)).toMatchObject({ status: 404 });
});

test.for<[string, object, number, string]>([
  ["an unknown owner", { owner_id: "u_nobody" }, 400, "owner_id: there is no such"],
  ["no steps", { steps: [] }, 400, "steps"],
  ["two steps of one name", { steps: [STEP, STEP] }, 400, "unique names"],
  ["a step called trigger", { steps: [{ ...STEP, name: "trigger" }] }, 400, "a reserved name"],
  ["a step that expressions cannot name", { steps: [{ ...STEP, name: "a b" }] }, 400, "letters"],
  ["a step without code", { steps: [{ name: "a" }] }, 400, "exactly one of"],
  ["a step with code and a key", { steps: [{ ...STEP, key: "k" }] }, 400, "exactly one of"],
  ["an unknown component", { steps: [{ name: "a", key: "nope" }] }, 400, 'step "a": No component'],
  ["a timer without schedule", { trigger: { type: "timer" } }, 400, "trigger"],
  ["a timer that is too quick", { trigger: { type: "timer", interval_seconds: 1 } }, 400, "15"],
  ["an unknown prop", { steps: [{ ...STEP, props: { a: 1 } }] }, 400, 'step "one"'],
  ["an undeclared computed prop", { steps: [{ ...STEP, props: { a: "{{1}}" } }] }, 400, "props.a"],
  [
    "a misspelt prop with an expression",
    { steps: [{ name: "a", component_code: MAILING, props: { subjet: "{{1}}" } }] },
    400,
    "configured_props.subjet: is not a prop of the component; configured_props.subject: is required",
  ],
  ["an invalid expression", { steps: [{ ...STEP, props: { a: "{{(}}" } }] }, 422, "props.a"],
  [
    "code that does not bundle",
    { steps: [{ name: "a", component_code: "export" }] },
    422,
    'step "a"',
  ],
  ["code without run", { steps: [{ name: "a", component_code: "export default {}" }] }, 422, "run"],
])("rejects a workflow with %s", async ([, fields, status, error]) => {
  const answer = await create(fields);
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)]);
});

test("a source cannot be a step", async () => {
  const ada = await signUp();
  const saved = await ada.post("/components", {
    component_code: `export default { name: "Src", version: "0.0.1", run() {} }`,
  });
  const answer = await operator.post("/workflows", {
    owner_id: ada.user.id,
    name: "Flow",
    steps: [{ name: "a", component_id: saved.body.data.id }],
  });
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("source") } });
  const inline = await create({
    steps: [
      {
        name: "a",
        component_code: `export default { props: { http: "$.interface.http" }, run() {} }`,
      },
    ],
  });
  expect(inline).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining("props.http") },
  });
});

test("secret props of a step are used, and never shown", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "tell",
        component_code: `export default {
          props: { token: { type: "string", secret: true }, plain: { type: "string" } },
          run() { return this.token.length }
        }`,
        props: { token: "hush", plain: "{{'x' + 1}}" },
      },
    ],
  });
  expect(flow.workflow.steps[0].props).toEqual({ plain: "{{'x' + 1}}" });
  expect((await runOnce(flow)).steps[0].exports).toEqual({ $return_value: 4 });
  await operator.put(`/workflows/${flow.id}`, { name: "Renamed" });
  expect((await runOnce(flow)).steps[0].exports).toEqual({ $return_value: 4 });
});

test("a workflow of a workspace is visible to its members alone", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const { body } = await operator.post("/workflows", {
    owner_id: await workspaceOf(ada),
    name: "Ours",
    steps: [STEP],
  });
  for (const path of ["event_summaries", "$errors/event_summaries", "runs"]) {
    expect(await ada.get(`/workflows/${body.data.id}/${path}`)).toMatchObject({
      status: 200,
      body: { data: [], page_info: { total_count: 0 } },
    });
    expect(await eve.get(`/workflows/${body.data.id}/${path}`)).toMatchObject({ status: 404 });
  }
  expect(await ada.get(`/workflows/${body.data.id}/runs/none`)).toMatchObject({ status: 404 });
});
