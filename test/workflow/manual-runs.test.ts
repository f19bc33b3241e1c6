import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { send, sendJson } from "../support/deploy.ts";
import { code, deployWorkflow, ended, runOf, runOnce, runsOf } from "../support/workflow.ts";

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

const RETURN_EVENT = { name: "one", component_code: code("return steps.trigger.event") };

const runPath = ({ id }: Flow) => `/workflows/${id}/runs`;
const rerunPath = (flow: Flow, run: string) => `${runPath(flow)}/${run}/rerun`;

/** Counts its executions in its db, and emits each count. */
const COUNTS = {
  name: "counts",
  component_code: `export default {
    props: { db: "$.service.db" },
    run({ $ }) {
      const count = (this.db.get("count") ?? 0) + 1;
      this.db.set("count", count);
      $.send.emit({ raw_event: { count } });
      return count;
    },
  }`,
};

const FAILS = { name: "fails", component_code: code(`throw new Error("broken")`) };
const SAYS = {
  name: "fails",
  component_code: code("return [steps.counts.$return_value, steps.trigger.event.n]"),
};

async function failing() {
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: [COUNTS, FAILS] });
  const { body } = await flow.user.post(runPath(flow), { event: { n: 7 } });
  await expect.poll(ended(flow)).toMatchObject({ state: "failed" });
  return { flow, runId: body.data.id as string };
}

test("runs a workflow at once, with an event or an empty one", async () => {
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: [RETURN_EVENT] });
  for (const [given, event] of [
    [{ event: { n: 1 } }, { n: 1 }],
    [{ event: null }, null],
    [{}, {}],
  ] as const) {
    const { status, body } = await flow.user.post(runPath(flow), given);
    expect([status, body.data]).toMatchObject([
      200,
      { id: expect.any(String), source_type: "manual", emitter_id: null, event, rerun_of: null },
    ]);
    const state = async () => (await runOf(flow, body.data.id)).state;
    await expect.poll(state).toBe("succeeded");
    const run = await runOf(flow, body.data.id);
    expect(run.steps).toMatchObject([{ exports: { $return_value: event }, reused: false }]);
  }
});

test("does not run an inactive, another's or a missing workflow", async () => {
  const flow = await deployWorkflow({
    trigger: { type: "none" },
    steps: [RETURN_EVENT],
    active: false,
  });
  expect(await flow.user.post(runPath(flow), {})).toMatchObject({ status: 409 });
  const large = { event: "x".repeat(600 * 1024) };
  expect(await flow.user.post(runPath(flow), large)).toMatchObject({ status: 413 });
  const eve = await signUp();
  expect(await eve.post(runPath(flow), {})).toMatchObject({ status: 404 });
  expect(await eve.post(rerunPath(flow, "some"), {})).toMatchObject({ status: 404 });
  expect(await flow.user.post(rerunPath(flow, "some"), {})).toMatchObject({
    status: 404,
    body: { error: "No run with id some" },
  });
  expect(await runsOf(flow)).toEqual([]);
});

test("the context of a run names its workflow, and the run whose event it repeats", async () => {
  const step = { name: "one", component_code: code("return steps.trigger.context") };
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: [step] });
  const contextIn = async (id: string) => {
    await expect.poll(async () => (await runOf(flow, id)).state).toBe("succeeded");
    return (await runOf(flow, id)).steps[0].exports.$return_value;
  };
  const { body: first } = await flow.user.post(runPath(flow), { event: {} });
  const { id } = first.data;
  const about = { workflow_name: flow.workflow.name, trace_id: id };
  expect(await contextIn(id)).toMatchObject({ ...about, replay: false });
  const { body: again } = await flow.user.post(rerunPath(flow, id), {});
  expect(await contextIn(again.data.id)).toMatchObject({ ...about, replay: true });
  const { body: third } = await flow.user.post(rerunPath(flow, again.data.id), {});
  expect(third.data.rerun_of).toBe(again.data.id);
  expect(await contextIn(third.data.id)).toMatchObject({ ...about, replay: true });
});

test("the replay of a source's event keeps the trace of its first run", async () => {
  const ada = await signUp();
  const step = { name: "one", component_code: code("return steps.trigger.context") };
  const flow = await deployWorkflow({ owner: ada, trigger: { type: "none" }, steps: [step] });
  const emitting = `export default { name: "E", version: "1", props: { http: "$.interface.http" },
    run() { this.$emit(1) } }`;
  const { body: source } = await ada.post("/sources", { component_code: emitting });
  const { id } = source.data;
  await ada.post("/subscriptions", { emitter_id: id, listener_id: flow.id });
  await sendJson(source.data.configured_props.http.endpoint_url, {});
  const contexts = async () => {
    const runs = (await runsOf(flow)).filter(
      ({ state }: { state: string }) => state === "succeeded",
    );
    const details = await Promise.all(runs.map((run: { id: string }) => runOf(flow, run.id)));
    return details.map(({ steps }) => steps[0].exports.$return_value);
  };
  await expect.poll(contexts).toHaveLength(1);
  const [first] = await contexts();
  for (let n = 0; n < 2; n += 1) {
    const [newest] = (await ada.get(`/sources/${id}/event_summaries`)).body.data;
    await ada.post(`/sources/${id}/events/${newest.id}/replay`, {});
    await expect.poll(contexts).toHaveLength(n + 2);
    const [last] = await contexts();
    expect(last).toMatchObject({ trace_id: first.id, replay: true });
    expect(last.id).not.toBe(first.id);
  }
  expect(first).toMatchObject({ trace_id: first.id, replay: false });
});

test("a rerun from the start is a new run that names the old one", async () => {
  const { flow, runId } = await failing();
  await flow.user.put(`/workflows/${flow.id}`, { steps: [COUNTS, SAYS] });
  const { body } = await flow.user.post(rerunPath(flow, runId), {});
  expect(body.data).toMatchObject({ rerun_of: runId, source_type: "manual", event: { n: 7 } });
  await expect.poll(ended(flow)).toMatchObject({
    id: body.data.id,
    state: "succeeded",
    rerun_of: runId,
    steps: [
      { name: "counts", exports: { $return_value: 2 }, reused: false },
      { name: "fails", exports: { $return_value: [2, 7] }, reused: false },
    ],
  });
  expect(await runOf(flow, runId)).toMatchObject({ state: "failed", rerun_of: null });
});

test("a rerun from a failed step neither runs nor sends the earlier steps again", async () => {
  const { flow, runId } = await failing();
  await flow.user.put(`/workflows/${flow.id}`, { steps: [COUNTS, SAYS] });
  const { body } = await flow.user.post(rerunPath(flow, runId), { from_step: "fails" });
  await expect.poll(ended(flow)).toMatchObject({
    id: body.data.id,
    state: "succeeded",
    steps: [
      { name: "counts", exports: { $return_value: 1 }, reused: true, logs: [] },
      { name: "fails", exports: { $return_value: [1, 7] }, reused: false },
    ],
  });
  const { body: events } = await flow.user.get(
    `/workflows/${flow.id}/event_summaries?expand=event&event_name=`,
  );
  expect(events.data.map(({ event }: { event: unknown }) => event)).toEqual([
    { raw_event: { count: 1 } },
  ]);
  // A rerun can be rerun, too.
  const again = await flow.user.post(rerunPath(flow, body.data.id), { from_step: "fails" });
  await expect.poll(ended(flow)).toMatchObject({ id: again.body.data.id, state: "succeeded" });
});

test("a rerun cannot start from a step that the run never reached", async () => {
  const { flow, runId } = await failing();
  const refused = async (from_step: string) =>
    (await flow.user.post(rerunPath(flow, runId), { from_step })).body;
  expect(await refused("gone")).toMatchObject({
    code: "invalid_input",
    error: "from_step: is not a step of the current version",
  });
  const last = { name: "last", component_code: code("return 1") };
  await flow.user.put(`/workflows/${flow.id}`, { steps: [COUNTS, FAILS, last] });
  expect(await refused("last")).toMatchObject({
    error: `from_step: the step "fails" before it did not succeed in that run`,
  });
  const added = { name: "added", component_code: code("return 1") };
  await flow.user.put(`/workflows/${flow.id}`, { steps: [COUNTS, added, FAILS] });
  expect(await refused("fails")).toMatchObject({
    error: `from_step: the step "added" before it did not succeed in that run`,
  });
  expect(await runsOf(flow)).toHaveLength(1);
});

test("a rerun does not repeat pauses, and a retried step counts once", async () => {
  const delays = { name: "delays", component_code: code("$.flow.delay(1); return 1") };
  const flaky = {
    name: "flaky",
    retries: { limit: 2 },
    component_code: `export default {
      props: { db: "$.service.db" },
      run() { this.db.set("n", (this.db.get("n") ?? 0) + 1); if (this.db.get("n") < 2) throw new Error("flaky"); return this.db.get("n"); },
    }`,
  };
  const flow = await deployWorkflow({ steps: [delays, flaky, FAILS] });
  await runOnce(flow, {});
  await expect.poll(ended(flow)).toMatchObject({ state: "failed" });
  const [first] = await runsOf(flow);
  await flow.user.post(rerunPath(flow, first.id), { from_step: "fails" });
  await expect.poll(async () => (await runsOf(flow)).length).toBe(2);
  await expect.poll(ended(flow)).toMatchObject({
    state: "failed",
    rerun_of: first.id,
    source_type: "http",
    steps: [
      { name: "delays", pause: null, reused: true },
      { name: "flaky", exports: { $return_value: 2 }, reused: true },
      { name: "fails", reused: false, state: "failed" },
    ],
  });
});

test("reruns from a later step see the request that ended a pause, and so do their reruns", async () => {
  const waits = { name: "waits", component_code: code("return $.flow.suspend(60000)") };
  const says = { name: "says", component_code: code("return steps.waits.$resume_data.body") };
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: [waits, FAILS] });
  const first = (await flow.user.post(runPath(flow), {})).body.data.id;
  await expect.poll(async () => (await runOf(flow, first)).state).toBe("waiting");
  const [paused] = (await runOf(flow, first)).steps;
  const body = JSON.stringify({ by: "Ada \u{1f600}" });
  const headers = { "content-type": "application/json" };
  await send(paused.exports.$return_value.resume_url, { body, headers });
  await expect.poll(ended(flow)).toMatchObject({ id: first, state: "failed" });
  await flow.user.put(`/workflows/${flow.id}`, { steps: [waits, { ...says, name: "fails" }] });
  let repeated = first;
  for (const _ of [1, 2]) {
    await evictDurableObject(flow.stub);
    const order = { from_step: "fails" };
    const rerun = await flow.user.post(rerunPath(flow, repeated), order);
    await expect.poll(ended(flow)).toMatchObject({
      id: rerun.body.data.id,
      state: "succeeded",
      rerun_of: repeated,
      steps: [{ reused: true }, { exports: { $return_value: JSON.parse(body) } }],
    });
    repeated = rerun.body.data.id;
  }
});
