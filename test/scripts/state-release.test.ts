import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test, vi } from "vitest";

import { log } from "../../tools/scripts/local/log.ts";
import {
  markRelease,
  ownRelease,
  refuseNewer,
  releaseOf,
  type StateRelease,
} from "../../tools/scripts/local/state-release.ts";

async function newState(stored?: object | string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "release-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const text = typeof stored === "string" ? stored : JSON.stringify(stored);
  if (stored) await writeFile(join(folder, "release.json"), text);
  return folder;
}

const OWN: StateRelease = { release: "1.4.0", migrations: { database: 3, source: 5 } };

test.for([
  { release: "1.5.0", migrations: OWN.migrations },
  { release: "1.4.0", migrations: { database: 4, source: 5 } },
  { release: "1.4.0", migrations: { database: 3, source: 6 } },
  { release: "1.3.0", migrations: { database: 3, source: 5, novelty: 1 } },
])("an older release rejects the state of %j", async (stored) => {
  const folder = await newState(stored);
  expect(() => refuseNewer(folder, OWN)).toThrow(
    `The state in ${folder} is of a newer release (${stored.release}) than this one (1.4.0). ` +
      `Start release ${stored.release} or a later one, or restore a backup of this one into another folder.`,
  );
  expect(releaseOf(folder)).toEqual(stored);
});

test.for([
  undefined,
  OWN,
  { release: "1.3.9", migrations: { database: 3, source: 5 } },
  { release: "1.4.0", migrations: { database: 3, source: 4 } },
  { release: "1.4.0", migrations: { database: 3 } },
])("a release accepts the state of %j", async (stored) => {
  const folder = await newState(stored);
  expect(() => refuseNewer(folder, OWN)).not.toThrow();
  await markRelease(folder, OWN, []);
  expect(releaseOf(folder)).toEqual(OWN);
});

test("rejects an unreadable marker, and names its file", async () => {
  for (const text of ["{", "{}", '{"release":1,"migrations":{}}']) {
    const folder = await newState(text);
    expect(() => refuseNewer(folder, OWN)).toThrow(
      `${join(folder, "release.json")} cannot be read`,
    );
  }
});

test("logs an upgrade, but not a new or a current state", async () => {
  const line = vi.spyOn(log, "line").mockImplementation(() => {});
  onTestFinished(() => line.mockRestore());
  await markRelease(await newState(), OWN, ["a", "b", "c"]);
  await markRelease(await newState(OWN), OWN, []);
  expect(line).not.toHaveBeenCalled();
  await markRelease(await newState(), OWN, ["c"]);
  await markRelease(await newState({ ...OWN, release: "1.3.0" }), OWN, []);
  expect(line.mock.calls.map(([{ message }]) => message)).toEqual([
    "Upgraded the state of an earlier release to release 1.4.0: 1 migration of the database; each object migrates on its next start",
    "Upgraded the state of release 1.3.0 to release 1.4.0: 0 migrations of the database; each object migrates on its next start",
  ]);
});

test("this release counts its own migrations", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  const own = await ownRelease();
  expect(own.release).toBe(version);
  for (const count of Object.values(own.migrations)) expect(count).toBeGreaterThan(0);
});
