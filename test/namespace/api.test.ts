// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import { NamespaceApi } from "#durable-objects/dispatch-namespace/api.ts";
import { CallBudget } from "#durable-objects/dispatch-namespace/call-budget.ts";
import { scriptForm, scriptName, tagsOf } from "#sandbox/script.ts";

import { callsAbout, plan, uploaded } from "../support/cloudflare/client.ts";
import type { Fault } from "../support/cloudflare/faults.ts";
import { oneModule } from "../support/deploy.ts";

const QUICK = { callMs: 1000, totalMs: 6000, firstWaitMs: 10 };

/** A busy machine may take a second for any response. */
const PATIENT = { callMs: 10_000, totalMs: 60_000, firstWaitMs: 10 };
const PATIENT_AT_TIMEOUTS = { ...PATIENT, callMs: 2500 };

const patienceFor = ({ answer }: Fault) => (answer === "hang" ? PATIENT_AT_TIMEOUTS : PATIENT);

/** A new namespace, and access to it. */
async function newNamespace({ patience = QUICK, budget = new CallBudget() } = {}) {
  const namespace = `ns-${newToken()}`;
  const access = {
    url: env.CLOUDFLARE_API_URL,
    accountId: env.CLOUDFLARE_ACCOUNT_ID,
    namespace,
    token: env.CLOUDFLARE_API_TOKEN ?? "",
  };
  const created = await fetch(
    `${access.url}/accounts/${access.accountId}/workers/dispatch/namespaces`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${access.token}` },
      body: JSON.stringify({ name: namespace }),
    },
  );
  expect(created.status).toBe(200);
  await created.text();
  return { namespace, access, api: new NamespaceApi(access, patience, budget) };
}

async function newScript() {
  const key = { owner: newId("user"), bundleHash: newToken() };
  const name = await scriptName(key);
  const labels = { component: "key, with & and,", version: "0.0.1" };
  const form = scriptForm(oneModule(key.bundleHash, "export default {}"), tagsOf(key, labels));
  return { key, name, form };
}

test("uploads a script in the documented form, lists it by its tags, and deletes it", async () => {
  const { api, namespace } = await newNamespace();
  const { key, name, form } = await newScript();
  expect(await api.upload(name, form)).toMatchObject({ kind: "ok" });

  expect(await uploaded(name, namespace)).toMatchObject({
    mainModule: "harness.worker.js",
    compatibilityFlags: ["nodejs_compat"],
    limits: { cpu_ms: 300_000 },
    tags: [
      `owner.${key.owner}`,
      `bundle.${key.bundleHash}`,
      "component.key--with---and-",
      "version.0.0.1",
    ],
    modules: { "component.js": { content: "export default {}" } },
  });
  expect(await api.list("")).toEqual({ kind: "ok", scripts: [{ name, ...key }], cursor: "" });
  expect(await api.remove(name)).toMatchObject({ kind: "ok" });
  expect(await api.remove(name)).toMatchObject({ kind: "missing" });
  expect(await api.list("")).toMatchObject({ scripts: [] });
});

const ENVELOPE = `{"success":false,"errors":[{"code":10013,"message":"busy"}],"messages":[],"result":null}`;

/** All temporary faults between the platform and the API. */
const PASSING: [string, Fault][] = [
  ["429", { answer: { status: 429, headers: { "retry-after": "1" }, text: ENVELOPE } }],
  ["409", { answer: { status: 409, text: ENVELOPE } }],
  ["500 without an envelope", { answer: { status: 500, text: "<h1>Oops</h1>" } }],
  ["503", { answer: { status: 503, text: ENVELOPE } }],
  ["408", { answer: { status: 408, text: ENVELOPE } }],
  ["a time-out", { answer: "hang" }],
  ["a time-out of a call that took effect", { answer: "hang", isApplied: true }],
  ["a reset connection", { answer: "reset" }],
  ["a reset connection of a call that took effect", { answer: "reset", isApplied: true }],
  ["success without JSON", { answer: { status: 200, text: "OK" } }],
  ["success without an envelope", { answer: { status: 200, text: `{"result":{}}` } }],
  ["truncated success", { answer: { status: 200, text: `{"success":true,"resu` } }],
  ["a failure with a status of success", { answer: { status: 200, text: ENVELOPE } }],
  ["an empty response", { answer: { status: 502, text: "" } }],
];

test.for(PASSING)("an upload survives %s", async ([, fault]) => {
  const { api, namespace } = await newNamespace({ patience: patienceFor(fault) });
  const { name, form } = await newScript();
  await plan(name, { faults: [structuredClone(fault)] });
  expect(await api.upload(name, form)).toMatchObject({ kind: "ok" });
  expect(await callsAbout(name)).toEqual(["PUT", "PUT"]);
  expect(await uploaded(name, namespace)).not.toBeNull();
});

test.for(PASSING)("a deletion survives %s", async ([, fault]) => {
  const { api, namespace } = await newNamespace({ patience: patienceFor(fault) });
  const { name, form } = await newScript();
  await api.upload(name, form);
  await plan(name, { faults: [structuredClone(fault)] });
  const { kind } = await api.remove(name);
  expect(kind).toBe(fault.isApplied === true ? "missing" : "ok");
  expect(await callsAbout(name)).toEqual(["PUT", "DELETE", "DELETE"]);
  expect(await uploaded(name, namespace)).toBeNull();
});

test.for(PASSING)("a listing survives %s", async ([, fault]) => {
  const { api, namespace } = await newNamespace({ patience: patienceFor(fault) });
  await plan(namespace, { faults: [structuredClone(fault)] });
  expect(await api.list("")).toEqual({ kind: "ok", scripts: [], cursor: "" });
  expect(await callsAbout(namespace)).toEqual(["GET", "GET"]);
});

test("an outage ends in an outcome with the time of the next attempt", async () => {
  const { api } = await newNamespace({ patience: { ...QUICK, totalMs: 200 } });
  const { name, form } = await newScript();
  const outage: Fault = { answer: { status: 503, text: ENVELOPE } };
  await plan(name, { faults: Array.from({ length: 50 }, () => outage) });
  expect(await api.upload(name, form)).toMatchObject({
    kind: "unavailable",
    message: "Cloudflare's API responded with 503: busy (10013)",
    retryAfterMs: expect.any(Number),
  });
  expect((await callsAbout(name)).length).toBeGreaterThan(2);
});

test("no call waits for a Retry-After beyond the time limit", async () => {
  const { api } = await newNamespace();
  const [first, second] = [await newScript(), await newScript()];
  await plan(first.name, {
    faults: [{ answer: { status: 429, headers: { "retry-after": "300" }, text: ENVELOPE } }],
  });
  const outcome = await api.upload(first.name, first.form);
  expect(outcome).toMatchObject({ kind: "unavailable" });
  expect(outcome.kind === "unavailable" && outcome.retryAfterMs).toBeGreaterThan(290_000);
  // The limit applies to the user, not to the script.
  expect(await api.upload(second.name, second.form)).toMatchObject({ kind: "unavailable" });
  expect(await callsAbout(second.name)).toEqual([]);
});

test("calls stay within their budget", async () => {
  const { api } = await newNamespace({ budget: new CallBudget(2) });
  const { name, form } = await newScript();
  await api.upload(name, form);
  await api.upload(name, form);
  const outcome = await api.upload(name, form);
  expect(outcome).toMatchObject({ kind: "unavailable" });
  expect(await callsAbout(name)).toEqual(["PUT", "PUT"]);
});

test("a rejected call is not retried", async () => {
  const { access } = await newNamespace();
  const { name, form } = await newScript();
  const stranger = new NamespaceApi({ ...access, token: "stolen" }, QUICK);
  expect(await stranger.upload(name, form)).toMatchObject({
    kind: "refused",
    message: "Cloudflare's API responded with 401: Authentication error (10000)",
  });
  const nowhere = new NamespaceApi({ ...access, namespace: "nowhere" }, QUICK);
  expect(await nowhere.upload(name, form)).toMatchObject({ kind: "missing" });
  expect(await callsAbout(name)).toEqual(["PUT", "PUT"]);
});

type Change = (form: FormData) => void;
const metadataOf = (change: object) => (form: FormData) =>
  form.set("metadata", new Blob([JSON.stringify(change)], { type: "application/json" }));
const GOOD = { main_module: "a.js", compatibility_date: "2026-10-01", bindings: [] };

/** Uploads that the fake API rejects, so that an accepted one conforms to the reference. */
const WRONG: [string, Change, string][] = [
  ["no metadata", (form) => form.delete("metadata"), "The part metadata is missing"],
  ["an unknown attribute", metadataOf({ ...GOOD, name: "x" }), "metadata.name is not known"],
  ["no main module", metadataOf({ ...GOOD, main_module: "b.js" }), "main module b.js"],
  ["an invalid date", metadataOf({ ...GOOD, compatibility_date: "today" }), "compatibility_date"],
  ["nine tags", metadataOf({ ...GOOD, tags: "123456789".split("") }), "over 8 tags"],
  ["a tag with a comma", metadataOf({ ...GOOD, tags: ["a,b"] }), "A tag has a ,"],
  ["too much CPU", metadataOf({ ...GOOD, limits: { cpu_ms: 300_001 } }), "limits.cpu_ms"],
  ["an unknown limit", metadataOf({ ...GOOD, limits: { memory: 1 } }), "limits.memory"],
  ["a binding without a type", metadataOf({ ...GOOD, bindings: [{ name: "A" }] }), "A binding"],
  [
    "a module of another type",
    (form) => form.set("a.js", module("fetch()", "text/html"), "a.js"),
    "the type",
  ],
  ["no handler", (form) => form.set("a.js", module("export default {}"), "a.js"), "event handlers"],
  [
    "another file name",
    (form) => form.set("a.js", module("fetch()"), "b.js"),
    "the file name b.js",
  ],
];

function module(text: string, type = "application/javascript+module"): Blob {
  return new Blob([text], { type });
}

test.for(WRONG)("rejects an upload with %s", async ([, change, message]) => {
  const { api } = await newNamespace();
  const form = new FormData();
  metadataOf(GOOD)(form);
  form.set("a.js", module("export default { fetch() {} }"), "a.js");
  expect(await api.upload("good", form)).toMatchObject({ kind: "ok" });
  change(form);
  const outcome = await api.upload("bad", form);
  expect(outcome).toMatchObject({ kind: "refused", message: expect.stringContaining(message) });
});
