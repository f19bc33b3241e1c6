import { expect, test } from "vitest";

import { openRegistry } from "#bundler/registry.ts";

const MEGABYTE = 2 ** 20;

/** A registry in which each package has two versions and a megabyte of metadata. It records what it is asked for. */
function registryOfMegabytes() {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    const name = new URL(request.url).pathname.slice(1);
    asked.push(name);
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is called.
  const operator = { fetch } as unknown as Fetcher;
  const url = "http://registry.example";
  return { asked, registry: openRegistry({ url, token: undefined, allowPrivate: true, operator }) };
}

test("one response of the registry about a package serves all its ranges", async () => {
  const { asked, registry } = registryOfMegabytes();
  const found = await Promise.all(
    ["^1", "2.0.0", "latest"].map((range) => registry.manifest("a", range)),
  );
  expect(found.map((manifest) => manifest?.version)).toEqual(["1.0.0", "2.0.0", "2.0.0"]);
  expect(await registry.manifest("a", "3")).toBeUndefined();
  expect(asked).toEqual(["a"]);
});

test("metadata beyond the memory for it is requested again when it is needed", async () => {
  const { asked, registry } = registryOfMegabytes();
  const names = Array.from({ length: 40 }, (_, index) => `package-${index}`);
  for (const name of names) expect((await registry.manifest(name, "^1"))?.version).toBe("1.0.0");
  expect(await registry.manifest("package-39", "^2")).toMatchObject({ version: "2.0.0" });
  expect(asked).toEqual(names);
  expect(await registry.manifest("package-0", "^2")).toMatchObject({ version: "2.0.0" });
  expect(asked).toEqual([...names, "package-0"]);
});

test("a package that is not there is asked for once", async () => {
  const { asked, registry } = registryOfMegabytes();
  const [first, second] = await Promise.allSettled([
    registry.manifest("absent", "^1"),
    registry.manifest("absent", "^2"),
  ]);
  expect([first.status, second.status]).toEqual(["rejected", "rejected"]);
  await expect(registry.manifest("absent", "^1")).rejects.toThrow('There is no package "absent"');
  expect(asked).toEqual(["absent"]);
});
