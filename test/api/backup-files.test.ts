// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator } from "../support/client.ts";

test("stores each file of a large set of packages", async () => {
  const name = `dependencies/${"c".repeat(64)}.12`;
  expect(await operator.put(`/backup/files/${name}`, "{}")).toMatchObject({ status: 204 });
  expect(await operator.get(`/backup/files/${name}`)).toMatchObject({ status: 200 });
});

test("stores the archive of a running import, and of no other", async () => {
  const { id } = (await operator.post("/registry/imports", {})).body.data;
  const listed = async () => (await operator.get("/backup/imports")).body.data.ids;
  expect(await listed()).not.toContain(id);
  expect(await operator.get(`/backup/imports/${id}`)).toMatchObject({ status: 404 });
  const archive = new TextEncoder().encode(`{"archive":"of components"}`);
  expect(await operator.put(`/backup/imports/${id}`, archive)).toMatchObject({ status: 204 });
  const become = (state: string) =>
    env.DB.prepare("UPDATE registry_imports SET state = ? WHERE id = ?").bind(state, id).run();
  await become("running");
  expect(await listed()).toContain(id);
  expect((await operator.get(`/backup/imports/${id}`)).body).toEqual({ archive: "of components" });
  await become("ended");
  expect(await listed()).not.toContain(id);
});
