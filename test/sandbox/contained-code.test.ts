// @suites loader

import { expect, test, vi } from "vitest";

import { codeKey, Confinement } from "#domain/confinement.ts";
import { newId } from "#domain/ids.ts";
import { SandboxDied } from "#domain/sandbox-loss.ts";
import { ContainedCode } from "#sandbox/processes/contained-code.ts";
import type { SandboxProcess, Target } from "#sandbox/processes/contract.ts";
import type { Processes } from "#sandbox/processes/processes.ts";
import { Quarantine } from "#sandbox/processes/quarantine.ts";
import type { Call, Outcome, Sink } from "#sandbox/user-code.ts";

import { linesOf } from "../support/telemetry.ts";

const LOST = () => Object.assign(new Error("Network connection lost."), { retryable: true });

const outcome = (change: Partial<Outcome> = {}): Outcome => ({
  emitted: [],
  db: {},
  logs: [],
  ...change,
});

function callOf(event: string, db: Record<string, string> = {}, sourceId = "dc_1"): Call {
  const instance = { sourceId, props: "{}", endpoints: {}, db, additional: "" };
  return { kind: "run", event, runId: event, deadlineMs: 5000, instance };
}

type Invoke = SandboxProcess["invoke"];
type InvokeAll = SandboxProcess["invokeAll"];

/** The project of external users; of another, none is known. */
const TENANTS = Object.fromEntries(
  ["exu_1", "exu_2", "exu_3", "exu_4"].map((user) => [user, "proj_1"]),
);

/** Processes that respond as given, and the names of those that were called. */
function opened(
  given: Partial<Record<"place" | "trial" | "confined", Invoke>>,
  invokeAll: InvokeAll = async () => [],
) {
  const called: string[] = [];
  const process = (name: keyof typeof given): SandboxProcess => ({
    invoke: (...args) => {
      called.push(name);
      return given[name]?.(...args) ?? Promise.reject(new Error(`${name} was not expected`));
    },
    invokeAll,
    describe: () => Promise.reject(new Error("not used")),
    evaluateProps: () => Promise.reject(new Error("not used")),
    ping: async () => {},
    probe: async () => {},
  });
  let starts = 0;
  const confinement = new Confinement();
  const quarantine = new Quarantine({
    confine: (key) => confinement.confine(key, Date.now()),
    isConfined: (key) => confinement.isConfined(key, Date.now()),
  });
  const processes: Processes = {
    count: 1,
    placeOf: () => 0,
    tenantOf: async (owner) => TENANTS[owner] ?? owner,
    at: () => process("place"),
    apart: process,
    supervisor: {
      start: async () => (starts += 1),
      kill: async () => {},
      confine: async () => {},
      cpuTime: async () => undefined,
      lossOf: async () => undefined,
      figures: async () => ({ processes: [] }),
    },
    quarantine,
    confinement,
  };
  const codeOf = (target: Partial<Target> = {}) =>
    new ContainedCode(processes, { owner: newId("user"), bundleHash: "hash", ...target });
  return { called, codeOf, confinement, quarantine };
}

const dies: Invoke = () => Promise.reject(LOST());

test("the loss of a process counts against no run that succeeds in quarantine", async () => {
  const { called, codeOf, confinement } = opened({
    place: dies,
    trial: async () => outcome({ spent: 1 }),
  });
  const code = codeOf();
  for (let loss = 0; loss < 4; loss += 1)
    expect(await code.invoke(callOf(String(loss)))).toEqual(outcome({ spent: 1 }));
  expect(called).toEqual(Array.from({ length: 4 }, () => ["place", "trial"]).flat());
  expect(confinement.entries(Date.now())).toEqual({});
});

test("a source that crashed its process in quarantine goes straight there next time", async () => {
  const { called, codeOf, confinement } = opened({
    place: dies,
    trial: dies,
    confined: async () => outcome(),
  });
  const owner = newId("user");
  const code = codeOf({ owner });
  const lines = await linesOf("warn", () =>
    expect(code.invoke(callOf("1"))).rejects.toBeInstanceOf(SandboxDied),
  );
  // The operator sees the owner and the source.
  expect(lines).toMatchObject([
    { event: "sandbox_lost", owner_id: owner, subject_id: "dc_1", outcome: "died" },
  ]);
  expect(confinement.isConfined(codeKey(owner, "dc_1"), Date.now())).toBe(true);
  expect(await code.invoke(callOf("2"))).toEqual(outcome());
  expect(called).toEqual(["place", "trial", "confined"]);
});

test("the external users of a project are confined together after three of their sources", async () => {
  const { called, codeOf } = opened({
    place: dies,
    trial: dies,
    confined: async () => outcome(),
  });
  const users = ["exu_1", "exu_2", "exu_3", "exu_4"] as const;
  for (const [at, owner] of users.slice(0, 3).entries())
    await expect(codeOf({ owner }).invoke(callOf("1", {}, `dc_${at}`))).rejects.toThrow("ended");
  expect(await codeOf({ owner: "exu_4" }).invoke(callOf("1", {}, "dc_4"))).toEqual(outcome());
  expect(called.at(-1)).toBe("confined");
  await expect(codeOf({ owner: "exu_5" }).invoke(callOf("1", {}, "dc_5"))).rejects.toThrow("ended");
});

test("an error of code is no loss of its process", async () => {
  const { called, codeOf } = opened({ place: () => Promise.reject(new TypeError("no")) });
  await expect(codeOf().invoke(callOf("1"))).rejects.toThrow("no");
  expect(called).toEqual(["place"]);
});

test.for([
  ["free", 10_000],
  ["paid", 30_000],
] as const)("in quarantine, code of the plan %s may compute for %i ms", async ([plan, cpuMs]) => {
  const { codeOf, quarantine } = opened({ place: dies, trial: async () => outcome() });
  const run = vi.spyOn(quarantine, "run");
  await codeOf({ plan }).invoke(callOf("1"));
  expect(run.mock.calls.map(([suspect]) => suspect.cpuMs)).toEqual([cpuMs]);
});

test("of a group, only the runs without an outcome are repeated, with the writes of those before", async () => {
  const seen: Record<string, string>[] = [];
  const trial: Invoke = async (_, { event, instance }: Call & { event?: string }) => {
    seen.push(instance.db);
    return outcome({ db: { last: event ?? "" } });
  };
  const { called, codeOf } = opened({ trial }, async (_target, _calls, _inOrder, sink) => {
    await sink.done(0, outcome({ db: { first: "1", gone: null } }));
    throw LOST();
  });
  const ended: number[] = [];
  const sink: Sink = {
    done: async (index) => void ended.push(index),
    fetch: async () => new Response(),
    renewToken: async () => null,
  };
  const calls = ["0", "1", "2"].map((event) => callOf(event, { gone: "0", kept: "0" }));
  await codeOf().invokeAll(calls, true, sink);
  expect(ended).toEqual([0, 1, 2]);
  expect(called).toEqual(["trial", "trial"]);
  expect(seen).toEqual([
    { kept: "0", first: "1" },
    { kept: "0", first: "1", last: "1" },
  ]);
});
