import { expect, test } from "vitest";

import { pickVersion, type Packument } from "#bundler/manifest.ts";

function packument(latest: string, versions: Record<string, Record<string, unknown>>): Packument {
  return { name: "it", "dist-tags": { latest, next: "3.0.0-rc.1" }, versions };
}

const PLAIN = packument("2.0.0", {
  "1.0.0": {},
  "1.2.0": {},
  "1.10.0": {},
  "2.0.0": {},
  "2.1.0": {},
  "3.0.0-rc.1": {},
});

const HINTED = packument("2.0.0", {
  "1.0.0": {},
  "1.1.0": { deprecated: "broken" },
  "1.2.0": { engines: { node: ">=99" } },
  "2.0.0": { engines: { node: ">=99" } },
  "4.0.0": { deprecated: "all of them" },
});

test.for([
  ["latest", "2.0.0"],
  ["next", "3.0.0-rc.1"],
  ["*", "2.0.0"],
  ["", "2.0.0"],
  ["1", "1.10.0"],
  ["^1.0.0", "1.10.0"],
  ["~1.2.0", "1.2.0"],
  [">=1", "2.0.0"],
  ["^2.1.0", "2.1.0"],
  ["1.0.0 || ^2.1.0", "2.1.0"],
  ["v1.0.0", "1.0.0"],
  ["^3.0.0-rc.0", "3.0.0-rc.1"],
  ["^3", undefined],
  ["nonsense", undefined],
] as const)("%s is %s", ([range, version]) => {
  expect(pickVersion(PLAIN, range)).toBe(version);
});

test.for([
  ["^1", "1.0.0"],
  ["^1.1", "1.1.0"],
  [">=1.1 <1.2", "1.1.0"],
  ["^2", "2.0.0"],
  ["^4", "4.0.0"],
  ["1.1.0", "1.1.0"],
  ["latest", "2.0.0"],
] as const)("%s is %s if versions are deprecated or for another Node", ([range, version]) => {
  expect(pickVersion(HINTED, range)).toBe(version);
});
