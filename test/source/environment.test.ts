import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import type { Call } from "#sandbox/user-code.ts";
import { loadUserCode } from "#sandbox/worker-loader.ts";

import { deploy, eventsOf, oneModule, sendJson } from "../support/deploy.ts";

/** Deploy a component with this `run`, wake it twice, and read its events. */
async function emittedBy(body: string, before = "") {
  const code = `${before}
    export default { props: { http: "$.interface.http" }, async run() { ${body} } }`;
  const { stub, url, deployment } = await deploy(code);
  await sendJson(url, {});
  await sendJson(url, {});
  const events = (await eventsOf(stub)).map(({ event }) => event).toReversed();
  return { events, sourceId: deployment.sourceId };
}

test("each call has its own writable process.env with only the source's id", async () => {
  const { events, sourceId } = await emittedBy(
    `this.$emit({ ...process.env }); process.env.MINE = 1; this.$emit([process.env.MINE, "MINE" in process.env]);
     delete process.env.MINE; this.$emit(Object.keys(process.env));`,
  );
  const once = [{ PD_COMPONENT: sourceId }, ["1", true], ["PD_COMPONENT"]];
  expect(events).toEqual([...once, ...once]);
});

test("a call may replace process.env as a whole for itself", async () => {
  const { events, sourceId } = await emittedBy(
    `this.$emit(process.env.PD_COMPONENT); process.env = { ONLY: "1" }; this.$emit({ ...process.env });`,
  );
  expect(events).toEqual([sourceId, { ONLY: "1" }, sourceId, { ONLY: "1" }]);
});

test("variables that the module sets at load time are the same in every call, despite a call's changes", async () => {
  const { events } = await emittedBy(
    `this.$emit(process.env.MODE); process.env.MODE = "changed";`,
    `process.env.MODE = "loaded";`,
  );
  expect(events).toEqual(["loaded", "loaded"]);
});

test("that also applies if the first use of a new isolate is a call", async () => {
  const [owner, bundleHash] = [newId("user"), newToken()];
  const code = `process.env.MODE = "loaded"; export default { run() { this.$emit(process.env.MODE) } }`;
  const egress = exports.Egress({ props: { owner } });
  const isolate = loadUserCode(env, { owner, bundleHash, egress }, async () =>
    oneModule(bundleHash, code),
  );
  const call: Call = {
    kind: "run",
    event: "{}",
    deadlineMs: 1000,
    runId: "r",
    instance: { sourceId: "dc_x", props: "{}", endpoints: {}, db: {}, additional: "" },
  };
  const outcomes = [await isolate.invoke(call), await isolate.invoke(call)];
  expect(outcomes.map(({ emitted }) => emitted[0]?.payload)).toEqual([`"loaded"`, `"loaded"`]);
});

test("packages that keep a reference to process.env see the call's own", async () => {
  const { events, sourceId } = await emittedBy(
    `this.$emit([env.PD_COMPONENT, kept.env.PD_COMPONENT, kept === process, env.hasOwnProperty("PD_COMPONENT"), typeof env.HOME])`,
    `import kept from "node:process"; const { env } = process;`,
  );
  const seen = [sourceId, sourceId, true, true, "undefined"];
  expect(events).toEqual([seen, seen]);
});

test("a component has no access to the platform's variables and bindings", async () => {
  const { events, sourceId } = await emittedBy(
    `this.$emit([Object.keys(bindings), Object.keys(env), Object.keys(await reached()), JSON.stringify(process.env)])`,
    `import { env as bindings } from "cloudflare:workers";
     import { env } from "node:process";
     const reached = async () => (await import("node:process")).default.env;`,
  );
  expect(events[0]).toEqual([[], [], ["PD_COMPONENT"], JSON.stringify({ PD_COMPONENT: sourceId })]);
});

test("a hook and its source's runs have separate environments", async () => {
  const { stub, url, deployment } = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: { deploy() { this.$emit({ ...process.env }); process.env.LEFT = "1"; } },
    run() { this.$emit({ ...process.env }); },
  }`);
  await sendJson(url, {});
  const expected = { PD_COMPONENT: deployment.sourceId };
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([expected, expected]);
});

test("util.debuglog is silent unless NODE_DEBUG names its section", async () => {
  const { events } = await emittedBy(
    `const lines = [];
     const { error } = console;
     console.error = (line) => lines.push(line);
     stream("hidden"); required("hidden");
     process.env.NODE_DEBUG = "net, stre*";
     stream("shown %d", 1); required("shown"); stream.enabled && lines.push("enabled");
     console.error = error;
     this.$emit(lines);`,
    `import util from "node:util";
     const stream = util.debuglog("stream"); const required = util.debug("http");`,
  );
  const lines = [expect.stringMatching(/^STREAM \d+: shown 1$/), "enabled"];
  expect(events).toEqual([lines, lines]);
});

test("process.binding returns only the names of Node's built-in modules", async () => {
  const { events } = await emittedBy(
    `const natives = process.binding("natives");
     this.$emit([Boolean(natives.fs), Boolean(natives.path), Boolean(natives.lodash)]);
     try { process.binding("util"); } catch { this.$emit("refused"); }`,
  );
  expect(events.slice(0, 2)).toEqual([[true, true, false], "refused"]);
});
