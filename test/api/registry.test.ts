// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { codeOf, idOfKey, newKey, published, statuses } from "../support/registry.ts";

test("a key is looked up in the caller's registry, the workspace's and the global one", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const key = newKey();
  const global = await published(operator, codeOf(key, "9.0.0"));
  for (const user of [ada, bob, eve]) expect(await idOfKey(user, key)).toBe(global.id);
  const shared = await published(ada, codeOf(key, "2.0.0"), { org_id: org });
  expect([await idOfKey(ada, key), await idOfKey(bob, key), await idOfKey(eve, key)]).toEqual([
    shared.id,
    shared.id,
    global.id,
  ]);
  const own = await published(ada, codeOf(key, "1.0.0"));
  expect([await idOfKey(ada, key), await idOfKey(bob, key)]).toEqual([own.id, shared.id]);
  expect(await idOfKey(ada, key, `?org_id=${org}`)).toBe(shared.id);
  const saved = await ada.post("/components", { component_code: codeOf(key, "3.0.0") });
  expect(saved.status).toBe(200);
  expect(await idOfKey(ada, key)).toBe(own.id);
  const run = await ada.post("/actions/run", { key, configured_props: {} });
  expect(run.body.data).toMatchObject({ ret: "1.0.0" });
});

test("a removed member neither finds nor publishes components of the workspace", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const key = newKey();
  const { id } = await published(bob, codeOf(key, "1.0.0"), { org_id: org });
  expect(await idOfKey(bob, key)).toBe(id);
  await operator.delete(`/workspaces/${org}/members/${bob.user.id}`);
  expect(await idOfKey(bob, key)).toBe(404);
  expect(await idOfKey(bob, id)).toBe(404);
  const more = { component_code: codeOf(key, "1.1.0"), org_id: org };
  const answers = [
    await bob.post("/registry", more),
    await bob.get(`/registry?org_id=${org}`),
    await bob.get(`/registry/${key}/versions`),
    await bob.get(`/registry/${key}/diff?from=1.0.0&to=1.0.0`),
    await bob.delete(`/registry/${key}/versions/1.0.0?org_id=${org}`),
    await bob.put(`/registry/${key}/versions/1.0.0`, { deprecated: "x", org_id: org }),
    await bob.delete(`/registry/${key}/versions/1.0.0`),
    await bob.put(`/registry/${key}/versions/1.0.0`, { deprecated: "x" }),
  ];
  expect(statuses(answers)).toEqual(answers.map(() => 404));
  expect(await idOfKey(ada, key)).toBe(id);
});

test("a stranger cannot change the global registry or another owner's", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const [key, globalKey] = [newKey(), newKey()];
  await published(ada, codeOf(key, "1.0.0"));
  await published(operator, codeOf(globalKey, "1.0.0"));
  for (const target of [key, globalKey]) {
    const path = `/registry/${target}/versions/1.0.0`;
    const answers = [await eve.delete(path), await eve.put(path, { deprecated: "broken" })];
    expect(statuses(answers)).toEqual([404, 404]);
  }
  expect((await eve.get(`/registry/${key}/versions`)).status).toBe(404);
  const { body } = await eve.get(`/registry/${globalKey}/versions`);
  expect(body.data).toMatchObject([{ version: "1.0.0", deprecated: null, unpublished_at: null }]);
});

test.for(["operator", "user"])(
  "of simultaneous publish requests of one %s, one succeeds",
  async (who) => {
    const ada = await signUp();
    const publisher = who === "user" ? ada : operator;
    const key = newKey();
    const answers = await Promise.all(
      ["1.0.0", "1.0.0", "1.1.0", "1.1.0"].map((version) =>
        publisher.post("/registry", { component_code: codeOf(key, version) }),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200).map(({ body }) => body.data);
    expect(statuses(answers).filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { body } = await ada.get(`/registry/${key}/versions`);
    expect(body.data.map(({ component_id }: { component_id: string }) => component_id)).toEqual(
      winners.toSorted((a, b) => (a.version < b.version ? 1 : -1)).map(({ id }) => id),
    );
    const newest = winners.find(({ id }) => id === body.data[0].component_id);
    expect(await idOfKey(ada, key)).toBe(newest?.id);
    const rows = await env.DB.prepare("SELECT id FROM components WHERE key = ?").bind(key).all();
    expect(rows.results).toHaveLength(winners.length);
  },
);

test("versions rise, and an unpublished version cannot be published again", async () => {
  const ada = await signUp();
  const key = newKey();
  const first = await published(ada, codeOf(key, "1.0.0"));
  const second = await published(ada, codeOf(key, "2.0.0"));
  const lower = await ada.post("/registry", { component_code: codeOf(key, "1.5.0") });
  expect(lower.status).toBe(409);
  expect((await ada.delete(`/registry/${key}/versions/2.0.0`)).status).toBe(204);
  expect((await ada.delete(`/registry/${key}/versions/2.0.0`)).status).toBe(404);
  expect(await idOfKey(ada, key)).toBe(first.id);
  expect(await idOfKey(ada, second.id)).toBe(second.id);
  for (const version of ["2.0.0", "v2.0.0", "2.0.0+again"]) {
    const again = await ada.post("/registry", { component_code: codeOf(key, version) });
    expect([version, again.status]).toEqual([version, 409]);
  }
  const third = await published(ada, codeOf(key, "1.6.0"));
  expect(await idOfKey(ada, key)).toBe(third.id);
  const { body } = await ada.get(`/registry/${key}/versions`);
  expect(
    body.data.map(({ version, unpublished_at }: { version: string; unpublished_at: unknown }) => [
      version,
      unpublished_at === null,
    ]),
  ).toEqual([
    ["1.6.0", true],
    ["2.0.0", false],
    ["1.0.0", true],
  ]);
  for (const version of ["1.6.0", "1.0.0"])
    await ada.delete(`/registry/${key}/versions/${version}`);
  expect(await idOfKey(ada, key)).toBe(404);
  expect((await ada.get("/registry")).body.data).toEqual([]);
});

test("an unpublished version is not found, but its predecessor is", async () => {
  const ada = await signUp();
  const key = newKey();
  const word = `w${crypto.randomUUID().slice(0, 8)}`;
  const described = (text: string) => `description: "${word} ${text}",`;
  const first = await published(operator, codeOf(key, "1.0.0", described("onlyfirst")));
  const second = await published(operator, codeOf(key, "2.0.0", described("onlysecond")));
  const found = async (query: string) => {
    const { body } = await ada.get(`/components/search?query=${query}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await found(`${word}+onlysecond`)).toEqual([second.id]);
  const source = await ada.post("/actions/run", { component_id: second.id, configured_props: {} });
  expect(source.body.data.ret).toBe("2.0.0");
  expect((await operator.delete(`/registry/${key}/versions/2.0.0`)).status).toBe(204);
  expect(await idOfKey(ada, key)).toBe(first.id);
  expect(await found(`${word}+onlyfirst`)).toEqual([first.id]);
  const again = await ada.post("/actions/run", { component_id: second.id, configured_props: {} });
  expect(again.body.data.ret).toBe("2.0.0");
  expect((await operator.delete(`/registry/${key}/versions/1.0.0`)).status).toBe(204);
  expect(await idOfKey(ada, key)).toBe(404);
  expect(await found(word)).toEqual([]);
  expect((await ada.get(`/components/registry/${key}`)).status).toBe(404);
  const third = await published(operator, codeOf(key, "3.0.0", described("onlythird")));
  expect(await found(word)).toEqual([third.id]);
});
