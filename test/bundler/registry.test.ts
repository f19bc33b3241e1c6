import { expect, test } from "vitest";

import { openRegistry } from "#bundler/registry.ts";

const MEGABYTE = 2 ** 20;

/** A registry in which each package has two versions and a megabyte of metadata. It records its requests. */
function registryOfMegabytes() {
  const requested: string[] = [];
  const fetch = async (request: Request) => {
    const name = new URL(request.url).pathname.slice(1);
    requested.push(name);
    if (name === "absent") return new Response(null, { status: 404 });
    const manifestOf = (version: string) => ({
      name,
      version,
      readme: "x".repeat(MEGABYTE / 2),
      dist: { tarball: `http://registry.example/-/${name}-${version}.tgz` },
    });
    const versions = { "1.0.0": manifestOf("1.0.0"), "2.0.0": manifestOf("2.0.0") };
    return Response.json({ name, "dist-tags": { latest: "2.0.0" }, versions });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registry uses only `fetch`.
  const operator = { fetch } as unknown as Fetcher;
  const url = "http://registry.example";
  return {
    requested,
    registry: openRegistry({ url, token: undefined, allowPrivate: true, operator }),
  };
}

test("one metadata response of the registry serves all ranges of a package", async () => {
  const { requested, registry } = registryOfMegabytes();
  const found = await Promise.all(
    ["^1", "2.0.0", "latest"].map((range) => registry.manifest("a", range)),
  );
  expect(found.map((manifest) => manifest?.version)).toEqual(["1.0.0", "2.0.0", "2.0.0"]);
  expect(await registry.manifest("a", "3")).toBeUndefined();
  expect(requested).toEqual(["a"]);
});

test("evicted metadata is requested again", async () => {
  const { requested, registry } = registryOfMegabytes();
  const names = Array.from({ length: 40 }, (_, index) => `package-${index}`);
  for (const name of names) expect((await registry.manifest(name, "^1"))?.version).toBe("1.0.0");
  expect(await registry.manifest("package-39", "^2")).toMatchObject({ version: "2.0.0" });
  expect(requested).toEqual(names);
  expect(await registry.manifest("package-0", "^2")).toMatchObject({ version: "2.0.0" });
  expect(requested).toEqual([...names, "package-0"]);
});

test("requests a missing package once", async () => {
  const { requested, registry } = registryOfMegabytes();
  const [first, second] = await Promise.allSettled([
    registry.manifest("absent", "^1"),
    registry.manifest("absent", "^2"),
  ]);
  expect([first.status, second.status]).toEqual(["rejected", "rejected"]);
  await expect(registry.manifest("absent", "^1")).rejects.toThrow('There is no package "absent"');
  expect(requested).toEqual(["absent"]);
});
