import {
  type Attack,
  hold,
  holdsService,
  holdWithin,
  newTenant,
  operate,
  send,
  type Tenant,
  type World,
} from "./world.ts";

async function deployFlow(world: World, owner: Tenant, ...bodies: string[]) {
  const steps = bodies.map((body, index) => ({
    name: `s${index}`,
    component_code: `export default { async run({ $, steps }) { ${body} } }`,
  }));
  const fields = { owner_id: owner.id, name: "A", trigger: { type: "http" }, steps };
  const { data, text } = await operate(world, "POST", "/workflows", fields);
  hold(data?.id, `The API deployed no workflow: ${text}`);
  const id: string = data.id;
  const url: string = data.trigger.endpoint_url;
  return { id, url };
}

/** Wait until the last run of a workflow has ended or paused. */
async function untilRested(owner: Tenant, { id }: { id: string }): Promise<void> {
  const hasRested = async () => {
    const { data, text } = await owner.call("GET", `/workflows/${id}/runs?limit=1`);
    hold(Array.isArray(data), `Reading its runs failed: ${text}`);
    return data.length > 0 && !["queued", "running"].includes(data[0].state);
  };
  await holdWithin(60_000, hasRested, "Its run did not end");
}

export const workflowSteps: Attack[] = [
  {
    name: "a step that forges its exports ends only its own run",
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const hostile = [
        `JSON.stringify = () => '{"a":1}}'; return 1`,
        `const name = "./harness.worker" + ".js"; const { default: H } = await import(name); H.prototype.invoke = async () => ({ step: { exports: { a: 7 }, flow: { kind: "x" } } }); return 1`,
        `const name = "./harness.worker" + ".js"; const { default: H } = await import(name); H.prototype.invoke = async () => ({ emitted: [], db: { deep: "[".repeat(5000) + "]".repeat(5000) }, logs: [], step: { exports: "{}", sideEffects: [], exit: "x".repeat(5e6) } }); return 1`,
        `$.export("__proto__", { polluted: true }); $.export("constructor", 1); return { __proto__: { polluted: 1 } }`,
        `$.flow.exit(); $.respond({ status: 99999, body: {} }); throw null`,
        `$.flow.delay(-1); $.flow.suspend(Number.MAX_VALUE)`,
      ];
      for (const body of hostile) {
        const flow = await deployFlow(
          world,
          eve,
          body,
          "return { polluted: ({}).polluted ?? null }",
        );
        const { status } = await send(flow.url, { method: "POST", body: {} });
        hold(status < 600, `It returned ${status}`);
        await untilRested(eve, flow);
        const runs = await eve.call("GET", `/workflows/${flow.id}/runs?limit=10`);
        hold(runs.status === 200 && runs.data.length > 0, `Reading its runs failed: ${runs.text}`);
        const run = await eve.call("GET", `/workflows/${flow.id}/runs/${runs.data[0].id}`);
        hold(run.status === 200, `Reading its run failed: ${run.text}`);
        const errors = await eve.call(
          "GET",
          `/workflows/${flow.id}/$errors/event_summaries?expand=event`,
        );
        hold(errors.status === 200, `Reading its errors failed: ${errors.text}`);
        await operate(world, "DELETE", `/workflows/${flow.id}`);
      }
      const honest = await deployFlow(world, ada, "$.respond({ status: 201, body: {} })");
      hold(
        (await send(honest.url, { method: "POST", body: {} })).status === 201,
        "Another's run fails",
      );
      await holdsService(world);
    },
  },
  {
    name: "the resume URL of a pause works for its run alone",
    async run(world) {
      const eve = await newTenant(world);
      const flow = await deployFlow(
        world,
        eve,
        `const { resume_url } = $.flow.suspend(60_000); $.export("url", resume_url)`,
      );
      await send(flow.url, { method: "POST", body: {} });
      await untilRested(eve, flow);
      const { data: runs } = await eve.call("GET", `/workflows/${flow.id}/runs?limit=10`);
      const { data: run } = await eve.call("GET", `/workflows/${flow.id}/runs/${runs[0].id}`);
      const url: string = run.steps[0].exports.url;
      hold(url, "The run has no resume URL");
      for (const forged of [
        url.slice(0, -3),
        `${url}x`,
        url.replace("/resume/", "/cancel/"),
        url.replace(/\/1\//, "/2/"),
      ]) {
        const { status } = await send(forged, { method: "POST", body: {} });
        hold(status === 404 || status === 403, `${forged} got ${status}`);
      }
    },
  },
  {
    name: "a step cannot trigger, read or resume another owner's workflow",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const theirs = await deployFlow(world, ada, "return 1");
      const flow = await deployFlow(
        world,
        eve,
        `await $.flow.trigger?.("${theirs.id}", {}); await $.workflow?.trigger?.("${theirs.id}", {}); return 1`,
      );
      await send(flow.url, { method: "POST", body: {} });
      await untilRested(eve, flow);
      const { data } = await ada.call("GET", `/workflows/${theirs.id}/runs?limit=10`);
      hold(data.length === 0, "The step ran another owner's workflow");
      for (const path of ["", "/runs", "/versions", "/versions/1", "/event_summaries", "/sse"]) {
        const { status } = await eve.call("GET", `/workflows/${theirs.id}${path}`);
        hold(status === 404, `${path} of another's workflow got ${status}`);
      }
    },
  },
];
