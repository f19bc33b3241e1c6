import { call, deploy, deployWorkflow, endpointOf } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";

const SOURCES = 50;
const WEBHOOKS = 20;
const WORKFLOWS = 5;

/** The kinds of sources, in equal numbers. */
const KINDS = [
  `props: { http: "$.interface.http" },
   run({ body }) { this.$emit(body); }`,
  `props: { http: "$.interface.http", db: "$.service.db" },
   run({ body }) { const count = (this.db.get("count") ?? 0) + 1; this.db.set("count", count); this.$emit({ count, body }); }`,
  `dedupe: "unique", props: { http: "$.interface.http" },
   run({ body }) { this.$emit(body, { id: body.n % 1000, summary: "Number " + body.n, ts: Date.now() }); }`,
  `props: { http: { type: "$.interface.http", customResponse: true }, timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } } },
   run(event) { this.$emit({ at: Date.now() }); if (event.body) this.http.respond({ status: 202, body: { taken: true } }); }`,
  `props: { http: "$.interface.http" },
   run({ body }) { console.log("took", body.n); if (body.n % 10 === 0) throw new Error("every tenth fails"); this.$emit(body, { name: "odd" }); this.$emit(body); }`,
];

/** Deploy sources, and webhooks and workflows that are subscribed to them. Returns the endpoints of the sources. */
export async function populate(platform: RunningPlatform, receiver: string): Promise<string[]> {
  const sources = [];
  for (let n = 0; n < SOURCES; n += 1) {
    const members = KINDS[n % KINDS.length] ?? "";
    const code = `export default { name: "Soak ${n}", version: "0.0.1", ${members} };`;
    sources.push(await deploy(platform, code));
  }
  const listeners = [];
  for (let n = 0; n < WEBHOOKS; n += 1)
    listeners.push(
      await call<{ id: string }>(platform, "/webhooks", { name: `W${n}`, url: receiver }),
    );
  const step = `export default { async run({ steps }) {
    await fetch("${receiver}/workflow", { method: "POST", body: JSON.stringify(steps.trigger.event) });
  } };`;
  for (let n = 0; n < WORKFLOWS; n += 1)
    listeners.push(
      await deployWorkflow(platform, [`export default { run() { return ${n} } };`, step]),
    );
  // Every listener is subscribed to two sources, and every source has one listener.
  for (const [index, source] of sources.entries()) {
    const listener_id = listeners[index % listeners.length]?.id;
    await call(platform, "/subscriptions", { emitter_id: source.id, listener_id });
  }
  return sources.map((source) => endpointOf(source));
}
