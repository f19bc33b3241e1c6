import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import type { Route } from "#domain/routes.ts";
import { RouteCache } from "#durable-objects/owner/routes.ts";

import { later, stopClock } from "../support/clock.ts";
import { rowsIn } from "../support/owner-tables.ts";

type Stub = DurableObjectStub<import("#durable-objects/owner/object.ts").OwnerObject>;

const to = (listenerId: string, emitterId = "dc_a"): Route => ({
  emitterId,
  ownerId: "u_ada",
  channel: "",
  listenerId,
  filter: null,
});

/** A cache in its own object, with a directory that the test writes. */
async function withCache(
  work: (world: {
    cache: RouteCache;
    directory: Map<string, Route[]>;
    /** The listeners of an emitter, as the router gets them. */
    lookUp: (id?: string) => Promise<string[]>;
    /** The reads of the directory. */
    reads: string[];
    /** Called during a read. */
    during: { read: () => void | Promise<void> };
    storage: DurableObjectStorage;
  }) => Promise<void>,
): Promise<void> {
  const stub: Stub = env.OWNERS.getByName(newId("user"));
  await stub.beginRoutesChange("set up", []);
  await stub.endRoutesChange("set up", []);
  await runInDurableObject(stub, async (_, { storage }) => {
    const cache = new RouteCache(storage);
    const directory = new Map<string, Route[]>();
    const reads: string[] = [];
    const during: { read: () => void | Promise<void> } = { read: () => {} };
    const lookUp = async (id = "dc_a") => {
      const [list = ""] = await cache.lookUp([id], async (ids) => {
        reads.push(...ids);
        const found = ids.map((one) => [...(directory.get(one) ?? [])]);
        await during.read();
        return found;
      });
      return (JSON.parse(list) as Route[]).map(({ listenerId }) => listenerId);
    };
    await work({ cache, directory, lookUp, reads, during, storage });
  });
}

test("reads routes once, even those of an emitter without listeners", () =>
  withCache(async ({ directory, lookUp, reads }) => {
    directory.set("dc_a", [to("wh_1"), to("wh_2")]);
    expect([await lookUp(), await lookUp()]).toEqual([
      ["wh_1", "wh_2"],
      ["wh_1", "wh_2"],
    ]);
    expect([await lookUp("dc_b"), await lookUp("dc_b")]).toEqual([[], []]);
    expect(reads).toEqual(["dc_a", "dc_b"]);
  }));

test("cached routes survive an eviction", async () => {
  const owner = newId("user");
  const stub: Stub = env.OWNERS.getByName(owner);
  const emitter = newId("source");
  expect(await stub.routes(owner, [emitter])).toEqual(["[]"]);
  await evictDurableObject(stub);
  await runInDurableObject(stub, async (_, { storage }) => {
    const cache = new RouteCache(storage);
    expect(await cache.lookUp([emitter], () => Promise.reject(new Error("was read")))).toEqual([
      "[]",
    ]);
  });
});

test("during a change, only its routes are read every time", () =>
  withCache(async ({ cache, directory, lookUp, reads }) => {
    await Promise.all([lookUp("dc_a"), lookUp("dc_b")]);
    cache.begin("change", ["dc_a"], Date.now());
    expect([await lookUp("dc_a"), await lookUp("dc_b")]).toEqual([[], []]);
    directory.set("dc_a", [to("wh_1")]);
    expect(await lookUp("dc_a")).toEqual(["wh_1"]);
    expect(reads).toEqual(["dc_a", "dc_b", "dc_a", "dc_a"]);
    cache.end("change", ["dc_a"]);
    await lookUp("dc_a");
    await lookUp("dc_a");
    expect(reads).toHaveLength(5);
  }));

test("a change of all of an owner's subscriptions invalidates each of them", () =>
  withCache(async ({ cache, lookUp, reads }) => {
    await lookUp();
    cache.begin("change", ["*"], Date.now());
    await lookUp();
    cache.end("change", ["*"]);
    await lookUp();
    expect(reads).toHaveLength(3);
  }));

test.for([
  ["began and ended", true],
  ["began", false],
] as const)("does not cache routes that were read while a change %s", ([, ends]) =>
  withCache(async ({ cache, directory, lookUp, during }) => {
    during.read = () => {
      cache.begin("change", ["dc_a"], Date.now());
      directory.set("dc_a", [to("wh_new")]);
      if (ends) cache.end("change", ["dc_a"]);
    };
    expect(await lookUp()).toEqual([]);
    during.read = () => {};
    expect(await lookUp()).toEqual(["wh_new"]);
    cache.end("change", ["dc_a"]);
    expect(await lookUp()).toEqual(["wh_new"]);
  }),
);

test("does not cache routes that were read during a change after its end", () =>
  withCache(async ({ cache, directory, lookUp, during }) => {
    cache.begin("change", ["dc_a"], Date.now());
    during.read = () => {
      directory.set("dc_a", [to("wh_new")]);
      cache.end("change", ["dc_a"]);
    };
    expect(await lookUp()).toEqual([]);
    during.read = () => {};
    expect(await lookUp()).toEqual(["wh_new"]);
  }));

test("of two changes of one emitter, the first to end does not end the other", () =>
  withCache(async ({ cache, directory, lookUp }) => {
    cache.begin("first", ["dc_a"], Date.now());
    cache.begin("second", ["dc_a"], Date.now());
    cache.end("first", ["dc_a"]);
    expect(await lookUp()).toEqual([]);
    directory.set("dc_a", [to("wh_new")]);
    expect(await lookUp()).toEqual(["wh_new"]);
  }));

test("an unfinished change expires after a minute, and reads are cached again", () =>
  withCache(async ({ cache, directory, lookUp, reads, storage }) => {
    await lookUp();
    cache.begin("crashed", ["dc_a"], Date.now() - 59_000);
    await lookUp();
    directory.set("dc_a", [to("wh_new")]);
    expect(await lookUp()).toEqual(["wh_new"]);
    expect(reads).toHaveLength(3);
    await later(1000, async () => {
      expect([await lookUp(), await lookUp()]).toEqual([["wh_new"], ["wh_new"]]);
    });
    expect(reads).toHaveLength(4);
    expect(rowsIn(storage, "route_changes")).toBe(0);
  }));

test("does not cache routes that were being read when a change expired", () =>
  withCache(async ({ cache, directory, lookUp, during }) => {
    const clock = stopClock();
    cache.begin("crashed", ["dc_a"], Date.now());
    during.read = () => {
      directory.set("dc_a", [to("wh_late")]);
      clock.advance(60_000);
    };
    expect(await lookUp()).toEqual([]);
    during.read = () => {};
    expect(await lookUp()).toEqual(["wh_late"]);
  }));

test("a late end of an expired change still drops routes cached meanwhile", () =>
  withCache(async ({ cache, directory, lookUp }) => {
    cache.begin("slow", ["dc_a"], Date.now() - 60_000);
    expect(await lookUp()).toEqual([]);
    directory.set("dc_a", [to("wh_late")]);
    cache.end("slow", ["dc_a"]);
    expect(await lookUp()).toEqual(["wh_late"]);
  }));

test("reads routes again after a day", () =>
  withCache(async ({ directory, lookUp }) => {
    await lookUp();
    directory.set("dc_a", [to("wh_by_hand")]);
    expect(await lookUp()).toEqual([]);
    expect(await later(25 * 3600_000, () => lookUp())).toEqual(["wh_by_hand"]);
  }));

test("stores a list that does not fit a row in several", () =>
  withCache(async ({ directory, lookUp, storage, reads }) => {
    const many = Array.from({ length: 20_000 }, (_, n) => to(`wh_${n}`));
    directory.set("dc_a", many);
    expect(await lookUp()).toHaveLength(20_000);
    expect(await lookUp()).toEqual(many.map(({ listenerId }) => listenerId));
    expect(reads).toHaveLength(1);
    expect(rowsIn(storage, "routes")).toBeGreaterThan(1);
  }));

test("an object without lookups holds no storage", async () => {
  const owner = newId("user");
  const stub: Stub = env.OWNERS.getByName(owner);
  expect(await stub.routes(owner, [])).toEqual([]);
  await runInDurableObject(stub, (_, { storage }) => {
    expect(rowsIn(storage, "routes")).toBeUndefined();
  });
});
