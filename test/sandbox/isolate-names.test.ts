import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import { probeLoader } from "#sandbox/probe.ts";
import type { Call } from "#sandbox/user-code.ts";
import { loadUserCode } from "#sandbox/worker-loader.ts";

import { oneModule } from "../support/deploy.ts";

const CALL: Call = {
  kind: "run",
  event: "{}",
  deadlineMs: 1000,
  instance: { sourceId: "dc_x", runId: "r", props: "{}", endpoints: {}, db: {}, additional: "" },
};

/** The same bundle opened by several releases of the platform, in one runtime. Each load of it has its own number. */
function openedBy(codeOf: (load: number) => string) {
  const key = { owner: newId("user"), bundleHash: newToken() };
  const egress = exports.Egress({ props: { owner: key.owner } });
  let loads = 0;
  return (version: string) =>
    loadUserCode(
      { LOADER: env.LOADER, VERSION: { id: version, tag: "", timestamp: "" } },
      { ...key, egress },
      async () => {
        loads += 1;
        return oneModule(key.bundleHash, codeOf(loads));
      },
    );
}

const emitsLoad = (load: number) => `export default { run() { this.$emit(${load}) } }`;

/** Its first load answers calls with what V8 says of a message that it cannot read. */
const unreadableFirst = (load: number) => `
  import Harness from "./harness.worker.js";
  if (${load} === 1)
    Harness.prototype.invoke = () => {
      throw new DOMException("Unable to deserialize cloned data.", "DataCloneError");
    };
  export default { run() { this.$emit(${load}) } }`;

test("a release does not reach an isolate that the release before it has loaded", async () => {
  const open = openedBy(emitsLoad);
  const [older, newer] = [open("release 1"), open("release 2")];
  const emitted = [];
  for (const code of [older, newer, open("release 1"), open("release 2")])
    emitted.push((await code.invoke(CALL)).emitted[0]?.payload);
  expect(emitted).toEqual(["1", "2", "1", "2"]);
});

test("the health probe of a release loads an isolate of its own", async () => {
  const names: string[] = [];
  const LOADER: WorkerLoader = {
    load: (code) => env.LOADER.load(code),
    get(name, code) {
      names.push(name ?? "");
      return env.LOADER.get(name, code);
    },
  };
  for (const id of ["release 1", "release 2"])
    await probeLoader({ LOADER, VERSION: { id, tag: "", timestamp: "" } });
  expect(new Set(names).size).toBe(2);
});

test("code whose messages cannot be read is loaded once more, under a fresh name", async () => {
  const open = openedBy(unreadableFirst);
  const code = open("release 1");
  await code.describe();
  const outcomes = await Promise.all([code.invoke(CALL), code.invoke(CALL)]);
  expect(outcomes.map(({ emitted }) => emitted[0]?.payload)).toEqual(["2", "2"]);
  // Whoever else comes upon the same isolate finds the one that took its place.
  const other = await open("release 1").invoke(CALL);
  expect(other.emitted[0]?.payload).toBe("2");
});

test("code whose messages can be read under no name fails after the second load", async () => {
  const open = openedBy(() => unreadableFirst(1));
  const code = open("release 1");
  await code.describe();
  // The harness is tampered with only once the component is evaluated.
  await code.invoke(CALL);
  await expect(code.invoke(CALL)).rejects.toThrow("Unable to deserialize");
});
