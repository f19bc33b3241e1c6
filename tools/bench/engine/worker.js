import { WorkflowEntrypoint } from "cloudflare:workers";

/** The minimum cost of a run of this many steps: the engine alone, with empty steps. */
export class BareRun extends WorkflowEntrypoint {
  async run({ payload: { beganMs, steps } }, engine) {
    for (let step = 0; step < steps; step += 1) await engine.do(`step ${step}`, async () => null);
    return Date.now() - beganMs;
  }
}

export default {
  /** POST `/{steps}` begins a run and returns its id; GET `/{id}` returns the run's duration once it ended. */
  async fetch(request, env) {
    const beganMs = Date.now();
    const [, name] = new URL(request.url).pathname.split("/");
    if (request.method === "POST") {
      await request.arrayBuffer();
      const { id } = await env.RUNS.create({ params: { beganMs, steps: Number(name) } });
      return Response.json({ id });
    }
    const { status, output } = await (await env.RUNS.get(name)).status();
    return Response.json({ isDone: status === "complete", ms: output });
  },
};
