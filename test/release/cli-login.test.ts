import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { type CliPlace, jsonOf, openPlace, wellspring } from "../support/cli.ts";

let folder: string;
let place: CliPlace;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ folder, place, close } = await openPlace());
});

afterAll(() => close());

test("login stores the key in a file that only the user can read, and other commands use it", async () => {
  const { WELLSPRING_URL: url = "", WELLSPRING_API_KEY: key = "" } = place.env;
  const home = join(folder, randomBytes(4).toString("hex"));
  const own = { cwd: folder, env: { WELLSPRING_HOME: home, STATE_DIR: join(folder, "none") } };
  const none = await wellspring({ ...own, env: { ...own.env, WELLSPRING_URL: url } }, "list");
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("There is no API key")]);
  const wrong = await wellspring(own, "login", "--url", url, "--api-key", "wrong");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("refuses this key")]);
  await jsonOf(own, "login", "--url", url, "--api-key", key);
  expect((await stat(join(home, "config.json"))).mode & 0o777).toBe(0o600);
  expect(Array.isArray(await jsonOf(own, "list"))).toBe(true);
});

test("a profile names one of several platforms, and takes precedence over the environment", async () => {
  const { WELLSPRING_URL: url = "", WELLSPRING_API_KEY: key = "" } = place.env;
  const elsewhere = { WELLSPRING_URL: "http://127.0.0.1:9", WELLSPRING_API_KEY: "other" };
  const home = join(folder, randomBytes(4).toString("hex"));
  const own = { cwd: folder, env: { ...elsewhere, WELLSPRING_HOME: home } };
  await jsonOf(own, "login", "--profile", "here", "--url", url, "--api-key", key);
  expect(Array.isArray(await jsonOf(own, "list", "--profile", "here"))).toBe(true);
  const unnamed = await wellspring(own, "list");
  expect(unnamed.stderr).toContain("No platform responds at http://127.0.0.1:9");
  const unknown = await wellspring(own, "list", "--profile", "there");
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    "error: There is no profile there; name one of here, or run `wellspring login --profile there`\n",
  ]);
});
