import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp } from "../support/client.ts";
import { storedDeployments } from "../support/workflow-tables.ts";
import { deployWorkflow, runOnce } from "../support/workflow.ts";

const SECRET = "sk_live_for_one_step_only";

const GREET = `
  const github = { type: "app", app: "github", methods: { header() { return "token " + this.$auth.api_key; } } };
  export default {
    name: "greet", version: "0.0.1", type: "action",
    props: { github, token: { type: "string", secret: true, optional: true } },
    run({ $ }) { $.export("seen", [this.github.header(), this.token ?? null]); },
  };`;

test("a step sees its account's credentials and its secrets, which are stored encrypted", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const { body } = await ada.post("/components", { component_code: GREET });
  const component_id = body.data.id;
  const workflow = await deployWorkflow({
    owner: ada,
    steps: [
      { name: "whole", component_id, account, props: { token: SECRET } },
      { name: "own", component_id, props: { github: { authProvisionId: account } } },
    ],
  });
  expect(JSON.stringify(workflow.workflow)).not.toContain(SECRET);
  const { steps } = await runOnce(workflow);
  expect(steps).toMatchObject([
    { name: "whole", exports: { seen: ["token sk_ada", SECRET] } },
    { name: "own", exports: { seen: ["token sk_ada", null] } },
  ]);
  const rows = await env.DB.prepare("SELECT * FROM workflows WHERE id = ?").bind(workflow.id).all();
  expect(JSON.stringify(rows.results)).not.toContain(SECRET);
  const stored = await storedDeployments(workflow.stub);
  expect(stored).toMatch(/sealed.{1,9}token.{1,9}v1\./);
  expect(stored).not.toContain(SECRET);
});

test("a step with a deleted account fails with an error that names its prop", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const { body } = await ada.post("/components", { component_code: GREET });
  const step = { name: "greet", component_id: body.data.id, account };
  const workflow = await deployWorkflow({ owner: ada, steps: [step] });
  await operator.delete(`/accounts/${account}`);
  expect(JSON.stringify(await runOnce(workflow))).toContain("github: its account was deleted");
});

test("a workflow cannot use another owner's account", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const account = await newAccount(ada.user.id);
  const { body } = await eve.post("/components", { component_code: GREET });
  const answer = await operator.post("/workflows", {
    owner_id: eve.user.id,
    name: "Flow",
    trigger: { type: "http" },
    steps: [{ name: "greet", component_id: body.data.id, account }],
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("there is no such account") },
  });
});
