// @runs first

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { ASSETS } from "../../tools/scripts/assets/part.ts";
import { BASE, TOKEN } from "../support/cloudflare/server.ts";
import { newOperator } from "../support/operator.ts";

const ORIGIN = "https://wellspring.example";

const uploadsIn = (calls: readonly string[]) =>
  calls.filter((each) => each === `POST ${BASE}/workers/assets/upload`).length;

test("a deployment serves the site, and uploads only its changed files again", async () => {
  const { cloudflare, deploy, assets } = await newOperator();
  await deploy();
  const page = await cloudflare.reach(`${ORIGIN}/docs/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
  const moved = await cloudflare.reach(`${ORIGIN}/docs`, { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([307, "/docs/"]);
  expect(await (await cloudflare.reach(`${ORIGIN}/llms.txt`)).text()).toBe("# Wellspring");
  const nowhere = await cloudflare.reach(`${ORIGIN}/docs/nowhere`);
  expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { code: "not_found" }]);
  expect(cloudflare.worker.upload?.bindings).toContainEqual({ name: "ASSETS", type: "assets" });

  cloudflare.calls.length = 0;
  await deploy();
  expect(uploadsIn(cloudflare.calls)).toBe(0);
  await writeFile(join(assets, "docs/index.html"), "<title>Changed</title>");
  await deploy();
  expect(uploadsIn(cloudflare.calls)).toBe(1);
  expect(await (await cloudflare.reach(`${ORIGIN}/docs/`)).text()).toContain("Changed");
  expect(cloudflare.unrouted).toEqual([]);
});

test("scripts of the console are served without the Worker, pages only through it", async () => {
  const { cloudflare, deploy, assets } = await newOperator();
  await mkdir(join(assets, "console/assets"), { recursive: true });
  await writeFile(join(assets, "console/index.html"), "<title>Console</title>");
  await writeFile(join(assets, "console/assets/app-12345678.js"), "export {};");
  await copyFile(join(ASSETS, "_headers"), join(assets, "_headers"));
  await deploy();
  const reach = (path: string) => cloudflare.reach(`${ORIGIN}${path}`);

  const script = await reach("/console/assets/app-12345678.js");
  expect([script.status, await script.text()]).toEqual([200, "export {};"]);
  // Every response of the Worker names its request.
  expect(Object.fromEntries(script.headers)).not.toHaveProperty("x-request-id");
  expect(Object.fromEntries(script.headers)).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  });
  for (const path of ["/console/", "/console/sources/dc_1"]) {
    const page = await reach(path);
    expect([page.status, await page.text()]).toEqual([200, "<title>Console</title>"]);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "x-request-id": expect.any(String),
      "content-security-policy": expect.stringContaining("script-src 'self'"),
      "cross-origin-opener-policy": "same-origin",
    });
  }
  const missing = await reach("/console/assets/former-12345678.js");
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: "not_found" }]);
  // No spelling of its path serves the file of a page.
  for (const path of [
    "/%63onsole/",
    "/console/index.html",
    "/console/index",
    "/%64ocs/",
    "//console/",
  ]) {
    const moved = await cloudflare.reach(`${ORIGIN}${path}`, { redirect: "manual" });
    expect([path, await moved.text()]).toEqual([path, expect.not.stringContaining("<title>")]);
  }
  expect((await reach("/_headers")).status).toBe(404);
});

const HASH = "0123456789abcdef0123456789abcdef";
const FILE = { hash: HASH, size: 5 };

type Account = Awaited<ReturnType<typeof newOperator>>["cloudflare"];

async function call(account: Account, path: string, token: string, body: FormData | object) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${account.origin}/client/v4${BASE}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      ...(!isForm && { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const { result, errors } = (await response.json()) as {
    result: { jwt?: string; buckets?: string[][] } | null;
    errors: { message: string }[];
  };
  return { status: response.status, result, message: errors[0]?.message ?? "" };
}

const open = (account: Account, manifest: unknown) =>
  call(account, "/workers/scripts/site/assets-upload-session", TOKEN, { manifest });

function upload(account: Account, token = "", files: Record<string, string> = {}) {
  const form = new FormData();
  for (const [hash, text] of Object.entries(files)) form.set(hash, new File([text], hash), hash);
  return call(account, "/workers/assets/upload?base64=true", token, form);
}

test("the fake accepts the files of a session only", async () => {
  const { cloudflare } = await newOperator();
  const other = HASH.replace("0", "f");
  const session = await open(cloudflare, { "/a": FILE, "/b": { hash: other, size: 1 } });
  expect(session.result?.buckets?.flat().toSorted()).toEqual([HASH, other].toSorted());
  const { jwt } = session.result ?? {};
  const hello = Buffer.from("hello").toString("base64");
  expect(await upload(cloudflare, TOKEN, { [HASH]: hello })).toMatchObject({ status: 401 });
  for (const [files, message] of [
    [{ ["e".repeat(32)]: hello }, /lists no file/],
    [{ [HASH]: "hello!" }, /no base64/],
    [{ [HASH]: Buffer.from("longer than that").toString("base64") }, /has not the 5 bytes/],
  ] as const)
    expect(await upload(cloudflare, jwt, files)).toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
    });
  expect(await upload(cloudflare, jwt, { [HASH]: hello })).toMatchObject({ status: 202 });
  const done = await upload(cloudflare, jwt, { [other]: Buffer.from("!").toString("base64") });
  expect(done).toMatchObject({ status: 201, result: { jwt: expect.stringMatching(/^.+\..+\./) } });
  // An uploaded file is not requested again.
  expect(await open(cloudflare, { "/c": FILE })).toMatchObject({ result: { buckets: [] } });
});

test.for([
  ["a hash that is too short", { "/a": { hash: "0123", size: 1 } }, /\.hash must be 32/],
  ["a hash that is not hexadecimal", { "/a": { hash: "x".repeat(32), size: 1 } }, /\.hash must/],
  ["a file of more than 25 MiB", { "/a": { hash: HASH, size: 26_214_401 } }, /\.size must be at/],
  ["a path without a slash", { a: FILE }, /must begin with one slash/],
  ["an unknown field", { "/a": { ...FILE, type: "text/html" } }, /\.type is not known/],
  ["two sizes under one hash", { "/a": FILE, "/b": { ...FILE, size: 6 } }, /different sizes/],
  ["no manifest", undefined, /manifest must be an object/],
  [
    "more than 20,000 files",
    Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`/${index}`, FILE])),
    /over 20000 files/,
  ],
] as const)("the fake rejects %s", async ([, manifest, message]) => {
  const { cloudflare } = await newOperator();
  expect(await open(cloudflare, manifest)).toMatchObject({
    status: 400,
    message: expect.stringMatching(message),
  });
});
