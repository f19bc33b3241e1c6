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
  deadlineMs: 30_000,
  runId: "r",
  instance: { sourceId: "dc_x", props: "{}", endpoints: {}, db: {}, additional: "" },
};

/** The same bundle, opened by several releases of the platform in one runtime. Each load of it has its own number. */
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

/** Its first load responds to calls with V8's error for an unreadable message. */
const unreadableFirst = (load: number) => `
  import Harness from "./harness.worker.js";
  if (${load} === 1)
    Harness.prototype.invoke = () => {
      throw new DOMException("Unable to deserialize cloned data.", "DataCloneError");
    };
  export default { run() { this.$emit(${load}) } }`;

test("a release does not reuse an isolate of the previous release", async () => {
  const open = openedBy(emitsLoad);
  const [older, newer] = [open("release 1"), open("release 2")];
  const emitted = [];
  for (const code of [older, newer, open("release 1"), open("release 2")])
    emitted.push((await code.invoke(CALL)).emitted[0]?.payload);
  expect(emitted).toEqual(["1", "2", "1", "2"]);
});

test("the health probe of a release loads its own isolate", async () => {
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

test("reloads code with unreadable messages once, under a new name", async () => {
  const open = openedBy(unreadableFirst);
  const code = open("release 1");
  await code.describe();
  const outcomes = await Promise.all([code.invoke(CALL), code.invoke(CALL)]);
  expect(outcomes.map(({ emitted }) => emitted[0]?.payload)).toEqual(["2", "2"]);
  // Other calls to the same isolate get its replacement.
  const other = await open("release 1").invoke(CALL);
  expect(other.emitted[0]?.payload).toBe("2");
});

test("code with messages that stay unreadable fails after the second load", async () => {
  const open = openedBy(() => unreadableFirst(1));
  const code = open("release 1");
  await code.describe();
  // The component replaces the harness only after its evaluation.
  await code.invoke(CALL);
  await expect(code.invoke(CALL)).rejects.toThrow("Unable to deserialize");
});
