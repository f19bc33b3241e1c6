import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { expiredStashes } from "#db/connect/file-stashes.ts";
import { sweepStashes } from "#services/actions/stash.ts";

import { ORIGIN, signUp } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { DAY, platformIn } from "../support/sweeping.ts";

type Upload = { localPath: string; s3Key: string; get_url: string };

/** A customer with an action with this code, and a function that runs it. */
async function withAction(code: string) {
  const customer = await newCustomer();
  const id = `files-${crypto.randomUUID()}`;
  const component_code = `import fs from "node:fs";
    export default { key: "${id}", name: "Files", version: "0.1.0", type: "action",
      props: { text: { type: "string", optional: true } },
      async run({ $ }) { ${code} } };`;
  const { status } = await customer.ada.post("/components", { component_code });
  expect(status).toBe(200);
  const run = (stash_id: unknown, text = "", external_user_id = "one", headers = {}) =>
    customer.server.post(
      "/actions/run",
      { id, external_user_id, configured_props: { text }, stash_id },
      headers,
    );
  return { ...customer, customer, id, run };
}

const uploadsOf = ({ body }: { body: { exports: Record<string, Upload[]> } }): Upload[] =>
  body.exports["$filestash_uploads"] ?? [];

const fetched = (url: string) => exports.default.fetch(url);

const APPEND = `fs.mkdirSync("/tmp/deep/er", { recursive: true });
  const path = "/tmp/deep/er/log ü.txt";
  const before = fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "";
  fs.writeFileSync(path, before + this.text);
  return fs.readFileSync(path, "utf8");`;

test("files that an action writes to /tmp have signed URLs, and the next run reads them", async () => {
  const { run, project, token } = await withAction(APPEND);
  const first = await run("NEW", "one ");
  expect(first).toMatchObject({ status: 200, body: { ret: "one ", os: [] } });
  const { stash_id } = first.body;
  expect(stash_id).toMatch(/^stash_/);
  const [file] = uploadsOf(first);
  expect(file).toEqual({
    localPath: "/tmp/deep/er/log ü.txt",
    s3Key: `${stash_id}/deep/er/log%20%C3%BC.txt`,
    get_url: expect.stringContaining("http://wellspring.test/v1/connect/stashes/"),
  });
  const response = await fetched(file?.get_url ?? "");
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("one ");
  expect(new URL(file?.get_url ?? "").pathname).toMatch(/\/deep\/er\/log%20%C3%BC\.txt$/);
  expect(response.headers.get("content-disposition")).toBe(
    "attachment; filename*=UTF-8''log%20%C3%BC.txt",
  );
  expect(response.headers.get("content-security-policy")).toContain("sandbox");
  const second = await run(stash_id, "two");
  expect(second.body).toMatchObject({ ret: "one two", stash_id });
  const key = encodeURIComponent(file?.s3Key ?? "");
  const downloaded = await exports.default.fetch(
    `${ORIGIN}/v1/connect/${project}/file_stash/download?s3_key=${key}`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  expect(await downloaded.text()).toBe("one two");
});

test.each([true, "", "NEW"])("stash_id %j creates a stash, and false none", async (stash_id) => {
  const { run } = await withAction(APPEND);
  expect((await run(stash_id, "a")).body.stash_id).toMatch(/^stash_/);
  const without = await run(false, "a");
  expect(without.body).toMatchObject({ ret: "a", exports: {} });
  expect(without.body.stash_id).toBeUndefined();
});

test("a run deletes files from the stash, and a failed run changes nothing", async () => {
  const { run } = await withAction(`
    if (this.text === "make") return void fs.writeFileSync("/tmp/a", "a");
    fs.rmSync("/tmp/a"); fs.writeFileSync("/tmp/b", "b");
    if (this.text === "fail") throw new Error("no");`);
  const made = await run("NEW", "make");
  const { stash_id } = made.body;
  const failed = await run(stash_id, "fail");
  expect(uploadsOf(failed).map(({ localPath }) => localPath)).toEqual(["/tmp/a"]);
  const changed = await run(stash_id, "change");
  expect(uploadsOf(changed).map(({ localPath }) => localPath)).toEqual(["/tmp/b"]);
  const [gone] = uploadsOf(made);
  expect((await fetched(gone?.get_url ?? "")).status).toBe(404);
});

test("a stash is for its external user alone, and its URL for one file until it expires", async () => {
  const { run, customer, server } = await withAction(APPEND);
  const made = await run("NEW", "secret");
  const { stash_id } = made.body;
  const [file] = uploadsOf(made);
  expect(await run(stash_id, "", "two")).toMatchObject({ status: 404 });
  const development = { "x-pd-environment": "development" };
  expect(await run(stash_id, "", "one", development)).toMatchObject({ status: 404 });
  for (const id of ["stash_none", "../stash", "dc_1"])
    expect(await run(id)).toMatchObject({ status: 404 });
  const key = `/file_stash/download?s3_key=${encodeURIComponent(file?.s3Key ?? "")}`;
  expect(await server.get(key, undefined, development)).toMatchObject({ status: 404 });
  const stranger = await newCustomer();
  expect(await stranger.server.get(key)).toMatchObject({ status: 404 });
  const browser = await newBrowser(customer, "one");
  expect(await browser.get(key)).toMatchObject({ status: 403 });
  for (const path of [
    `${stash_id}/../${stash_id}/a`,
    `${stash_id}/`,
    "code/x",
    "",
    `${stash_id}//a`,
  ])
    expect(
      (await server.get(`/file_stash/download?s3_key=${encodeURIComponent(path)}`)).status,
    ).toBeGreaterThanOrEqual(400);
  const url = file?.get_url ?? "";
  for (const changed of [
    url.replace("/log%20", "/lag%20"),
    url.replace(/expires=\d+/, "expires=9999999999"),
    url.replace(/signature=.*/, "signature="),
    url.replace(/\?.*/, ""),
  ])
    expect((await fetched(changed)).status).toBe(403);
});

test.for(["Q1 report.txt", "100%.txt", "it's (new)*!.txt", "a?b#c&d=e+f.txt"])(
  "the URL of the file %s ends with its name, encoded once",
  async (name) => {
    const { run } = await withAction(
      `fs.writeFileSync("/tmp/" + this.text, "content"); return fs.readFileSync("/tmp/" + this.text, "utf8");`,
    );
    const [file] = uploadsOf(await run("NEW", name));
    expect(file?.localPath).toBe(`/tmp/${name}`);
    const url = new URL(file?.get_url ?? "");
    expect(decodeURIComponent(url.pathname.split("/").at(-1) ?? "")).toBe(name);
    const response = await fetched(url.href);
    expect(await response.text()).toBe("content");
    const shown = /filename\*=UTF-8''([\w.~!$&+^`|#%-]+)$/.exec(
      response.headers.get("content-disposition") ?? "",
    );
    expect(decodeURIComponent(shown?.[1] ?? "")).toBe(name);
  },
);

test("reports the limits of a stash", async () => {
  const { run } = await withAction(`
    if (this.text === "many") for (let i = 0; i < 1001; i += 1) fs.writeFileSync("/tmp/" + i, "");
    if (this.text === "large") fs.writeFileSync("/tmp/large", Buffer.alloc(21 * 1024 * 1024));
    if (this.text === "name") fs.writeFileSync("/tmp/a\\u0001b", "");
    if (this.text === "most") for (let i = 0; i < 100; i += 1) fs.writeFileSync("/tmp/" + i, Buffer.alloc(150_000, i));
    if (this.text === "link") { fs.writeFileSync("/tmp/a", ""); fs.symlinkSync("/tmp/a", "/tmp/b"); }
  `);
  for (const [text, message] of [
    ["many", "stash: /tmp holds 1001 files, and a stash at most 1000"],
    ["large", "stash: /tmp holds 22020096 bytes, and a stash at most 20971520 (20 MB)"],
    ["name", "stash: the name of a file"],
  ] as const)
    expect((await run("NEW", text)).body).toMatchObject({
      os: [{ k: "error", err: { message: expect.stringContaining(message) } }],
      exports: { $filestash_uploads: [] },
    });
  const most = await run("NEW", "most");
  expect(most.body.os).toEqual([]);
  expect(uploadsOf(most)).toHaveLength(100);
  const again = await run(most.body.stash_id, "nothing");
  expect(uploadsOf(again)).toHaveLength(100);
  expect(uploadsOf(await run("NEW", "link"))).toHaveLength(1);
});

test("rejects files with forged paths from an isolate", async () => {
  const { run } = await withAction(`
    const { prototype } = Array;
    const { map } = prototype;
    prototype.map = new Proxy(map, { apply: (target, self, args) => {
      const made = Reflect.apply(target, self, args);
      for (const one of made) if (one?.bytes) one.path = "../../bundles/x";
      return made;
    } });
    fs.writeFileSync("/tmp/a", "a");`);
  const ran = await run("NEW");
  expect(ran.body.os).toMatchObject([{ k: "error", err: { name: "InvalidOutcome" } }]);
  expect(uploadsOf(ran)).toEqual([]);
  expect(await env.CODE.head("bundles/x")).toBeNull();
});

test("a stash is deleted a day after its last run, and with its external user", async () => {
  const { run, server } = await withAction(APPEND);
  const { body } = await run("NEW", "a");
  const files = () => env.CODE.list({ prefix: `stash/${body.stash_id}/` });
  await sweepStashes(platformIn(DAY - 60));
  expect((await files()).objects).toHaveLength(1);
  await sweepStashes(platformIn(DAY + 60));
  expect((await files()).objects).toHaveLength(0);
  expect(await run(body.stash_id)).toMatchObject({ status: 404 });
  const other = (await run("NEW", "b", "two")).body.stash_id;
  const { db } = platformIn(0);
  expect(await expiredStashes(db, 0, 100)).not.toContainEqual(
    expect.objectContaining({ id: other }),
  );
  expect(await server.delete("/users/two")).toMatchObject({ status: 204 });
  expect(await expiredStashes(db, 0, 100)).toContainEqual(expect.objectContaining({ id: other }));
});

test("a user of v1 may use stashes, too", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const component_code = `import fs from "node:fs";
    export default { name: "F", version: "0.1.0", type: "action", run() {
      const files = fs.readdirSync("/tmp"); fs.writeFileSync("/tmp/a", "a"); return files; } };`;
  const { body } = await ada.post("/actions/run", { component_code, stash_id: true });
  const { stash_id } = body.data;
  const again = await ada.post("/actions/run", { component_code, stash_id });
  expect(again.body.data.ret).toEqual(["a"]);
  expect(await eve.post("/actions/run", { component_code, stash_id })).toMatchObject({
    status: 404,
  });
});

test("an owner has at most 10,000 unexpired stashes", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "N", version: "0.1.0", type: "action", run() {} };`;
  const run = (stash_id: unknown) => ada.post("/actions/run", { component_code, stash_id });
  const { stash_id: first } = (await run("NEW")).body.data;
  const fill = (count: number, expires: number) =>
    env.DB.prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       INSERT INTO file_stashes (id, owner_id, secret, expires_at, created_at)
       SELECT id || '_' || ?3 || '_' || n, owner_id, secret, ?3, created_at FROM numbers, file_stashes WHERE id = ?1`,
    )
      .bind(first, count, expires)
      .run();
  const later = Math.floor(Date.now() / 1000) + 3600;
  await fill(9998, later);
  await fill(5, 1);
  expect(await run("NEW")).toMatchObject({ status: 200 });
  const refused = await run("NEW");
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body.error).toMatch(/^stash_id: 10000 stashes are kept already/);
  expect(await run(first)).toMatchObject({ status: 200 });
  await env.DB.prepare("DELETE FROM file_stashes WHERE expires_at = ?").bind(later).run();
});
