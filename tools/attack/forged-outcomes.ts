import {
  type Attack,
  deploy,
  endpoint,
  eventsOf,
  hold,
  holdsService,
  newTenant,
  send,
} from "./world.ts";

/** A component that replaces the return value of the harness. */
function forging(outcome: string): string {
  return endpoint("this.$emit({ honest: true })", {
    imports: `
const name = "./harness.worker" + ".js";
const ready = import(name).then(({ default: Harness }) => {
  const outcome = () => (${outcome});
  Harness.prototype.invoke = async () => outcome();
  Harness.prototype.invokeAll = async (calls) => calls.map(outcome);
}, () => {});
await ready;`,
  });
}

const EMISSION = `{ payload: '{"a":1}', emittedAtMs: Date.now() }`;

const OUTCOMES: Record<string, string> = {
  "records of $errors and $logs": `{ emitted: ["$errors", "$logs"].map((name) => ({ ...${EMISSION}, name })), db: {}, logs: [] }`,
  "20,001 emits": `{ emitted: Array.from({ length: 20001 }, () => (${EMISSION})), db: {}, logs: [] }`,
  "a payload of 5 MB": `{ emitted: [{ ...${EMISSION}, payload: JSON.stringify("x".repeat(5e6)) }], db: {}, logs: [] }`,
  "20 MB of db": `{ emitted: [], logs: [], db: Object.fromEntries(Array.from({ length: 20 }, (_, n) => ["k" + n, JSON.stringify("x".repeat(1e6))])) }`,
  "text that is not JSON": `{ emitted: [{ ...${EMISSION}, payload: '{"a":1}\\n\\ndata: {"forged":true}\\n\\n' }], db: {}, logs: [] }`,
  "a response with wrong types": `{ emitted: [], db: {}, logs: [], response: { status: "x", headers: 7, body: {} } }`,
  "db that is nested too deep": `{ emitted: [], logs: [], db: { deep: "[".repeat(5000) + "]".repeat(5000) } }`,
  "20 MB of events beyond Latin-1": `{ emitted: Array.from({ length: 20 }, () => ({ ...${EMISSION}, payload: JSON.stringify("\u044f".repeat(500_000)) })), db: {}, logs: [] }`,
  "a response of 1,001 headers": `{ emitted: [], db: {}, logs: [], response: { status: 200, headers: { a: Array.from({ length: 1001 }, () => "") }, body: null } }`,
  "no outcome at all": `null`,
  "getters and wrong types": `{ emitted: 7, db: [], logs: "x" }`,
};

export const forgedOutcomes: Attack[] = Object.entries(OUTCOMES).map(([name, outcome]) => ({
  name: `an isolate cannot forge ${name}`,
  async run(world) {
    const eve = await newTenant(world);
    const { status, data, text } = await eve.call("POST", "/sources", {
      component_code: forging(outcome),
    });
    // A component that is rejected on deploy forges nothing.
    if (status !== 422) {
      hold(data?.id, `It returned ${status}: ${text.slice(0, 200)}`);
      const url: string = data.configured_props.http.endpoint_url;
      for (let n = 0; n < 3; n += 1) await send(url, { method: "POST", body: {} });
      const events = await eventsOf(eve, data.id);
      hold(events.length <= 100, "The isolate exceeded its limit of events");
      const path = (channel: string) =>
        `/sources/${data.id}/${channel}/event_summaries?expand=event`;
      for (const channel of ["$errors", "$logs"]) {
        const read = await eve.call("GET", path(channel));
        hold(read.status === 200, `Reading ${channel} got ${read.status}`);
        hold(
          !JSON.stringify(read.data).includes('"event":{"a":1}'),
          `A record of ${channel} is forged`,
        );
      }
      const stored = JSON.stringify(events);
      hold(stored.length < 3e6, `It stored ${stored.length} bytes`);
      hold(!events.some(({ event }) => event?.forged), "The isolate forged an event");
    }
    await holdsService(world);
  },
}));

/** One deploy that succeeds, so that the rejections above have no other cause. */
forgedOutcomes.push({
  name: "an honest component still runs",
  async run(world) {
    const ada = await newTenant(world);
    await deploy(ada, endpoint("this.$emit({ honest: true })"));
  },
});
