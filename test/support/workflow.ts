import { env } from "cloudflare:workers";
import { expect } from "vitest";

import type { Json } from "#domain/json.ts";
import { enginesOf } from "#durable-objects/workflow/engine-shards.ts";

import { operator, signUp } from "./client.ts";
import { sendJson } from "./deploy.ts";

type Step = { name: string; component_code?: string; [field: string]: unknown };
type Fields = { trigger?: Json; steps: Step[]; [field: string]: unknown };

/** Inline code of a step whose `run` has this body. */
export function code(body: string): string {
  return `export default { async run({ $, steps }) { ${body} } }`;
}

/** Deploy a workflow with an HTTP trigger by default, for a new user. */
export async function deployWorkflow({
  owner,
  ...fields
}: Fields & { owner?: Awaited<ReturnType<typeof signUp>> }) {
  const user = owner ?? (await signUp());
  const { status, body } = await operator.post("/workflows", {
    owner_id: user.user.id,
    name: "Flow",
    trigger: { type: "http" },
    ...fields,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  const { id, trigger } = body.data;
  return {
    user,
    id: id as `p_${string}`,
    workflow: body.data,
    url: trigger.endpoint_url as string,
    stub: env.WORKFLOWS.getByName(id),
  };
}

type Deployed = Pick<Awaited<ReturnType<typeof deployWorkflow>>, "user" | "id">;

/** The runs of a workflow, newest first. */
export async function runsOf({ user, id }: Deployed) {
  return (await user.get(`/workflows/${id}/runs?limit=100`)).body.data;
}

/** One run of a workflow with its steps. */
export async function runOf({ user, id }: Deployed, runId: string) {
  return (await user.get(`/workflows/${id}/runs/${runId}`)).body.data;
}

/** Trigger a workflow by HTTP and wait for the response. */
export async function triggerHttp(url: string, body: Json = {}) {
  const response = await sendJson(url, body);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Trigger a workflow by HTTP, and read its new run once it has ended or paused. */
export async function runOnce(flow: Deployed & { url: string }, body: Json = {}) {
  const [previous] = await runsOf(flow);
  await triggerHttp(flow.url, body);
  const last = async () => {
    const [run] = await runsOf(flow);
    return run?.id === previous?.id ? undefined : run;
  };
  const state = async () => (await last())?.state ?? "none";
  await expect.poll(state, { timeout: 20_000 }).not.toMatch(/^(none|queued|running)$/);
  return runOf(flow, (await last()).id);
}

/** Deploy one step before another that returns the first one's exports. */
export function withEcho(body: string) {
  return deployWorkflow({
    steps: [
      { name: "first", component_code: code(body) },
      { name: "echo", component_code: code("return steps.first ?? null") },
    ],
  });
}

/** The last run of a workflow with its steps, once it has ended. */
export function ended(flow: Deployed) {
  return async () => {
    const [last] = await runsOf(flow);
    const isOpen = !last || ["running", "waiting", "queued"].includes(last.state);
    return isOpen ? undefined : runOf(flow, last.id);
  };
}

/** The engine with the runs of a workflow. */
export function engineOf(workflowId: string) {
  const { engines, place } = enginesOf(env, workflowId);
  return engines[place] ?? env.RUNS;
}
