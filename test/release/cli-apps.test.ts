import { once } from "node:events";

import { afterAll, beforeAll, expect, test } from "vitest";

import type { RunningPlatform } from "../../tools/scripts/platform.ts";
import { begin, type CliPlace, jsonOf, openPlace, wellspring } from "../support/cli.ts";

let place: CliPlace;
let platform: RunningPlatform;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ place, platform, close } = await openPlace());
  place.env["WELLSPRING_ADMIN_TOKEN"] = platform.adminToken;
});

afterAll(() => close());

/** Run the command line with a text as its stdin. */
async function withInput(input: string, ...args: string[]) {
  const { child, output } = begin(place, ...args);
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, ...output };
}

test("an operator finds an app of the catalogue, reads the steps, and stores its client", async () => {
  const origin = new URL(platform.url).origin;
  const callback = (slug: string) => `${origin}/connect/oauth/${slug}/callback`;
  const list = async () => (await wellspring(place, "apps", "list", "google sh")).stdout;
  expect(await list()).toMatch(/google_sheets +Google Sheets +oauth +needs a client\n$/);

  const { stdout: shown } = await wellspring(place, "apps", "show", "google_sheets");
  expect(shown).toContain(`redirect URI  ${callback("google")}\n`);
  expect(shown).toMatch(/^1\. Create an OAuth client at https:\/\/\S+$/m);
  expect(shown).toMatch(new RegExp(`^2\\. Enter ${callback("google")} as its `, "m"));
  expect(shown).toMatch(/^\d\. Store the client: wellspring apps setup google_sheets$/m);

  const done = await withInput("hush\n", "apps", "setup", "google_sheets", "-c", "id-1");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toContain("Users can sign in to Google Sheets now, by the client of google.");
  expect(done.stdout).not.toContain("hush");
  expect(await list()).toMatch(/ready\n$/);
  const drive = await jsonOf<object>(place, "apps", "show", "google_drive");
  expect(drive).toMatchObject({ state: "ready", client_app: "google", client_id: "id-1" });
});

test("a secret in the arguments, a missing one, and an app of keys are refused", async () => {
  const setUp = ["apps", "setup", "github"];
  const inArguments = await withInput("", ...setUp, "-c", "id", "--client-secret", "hush");
  expect([inArguments.code, inArguments.stderr]).toEqual([2, expect.stringContaining("option")]);
  const missing = await withInput("", ...setUp, "-c", "id");
  expect([missing.code, missing.stderr]).toEqual([
    2,
    "error: The client secret is missing; write it to stdin\n",
  ]);
  const keys = await withInput("hush", "apps", "setup", "stripe", "-c", "id");
  expect([keys.code, keys.stderr]).toEqual([1, expect.stringContaining("has no OAuth client")]);
  const unknown = await wellspring(place, "apps", "show", "unheard_of");
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    "error: No app with slug unheard_of; `wellspring apps list` shows existing ones\n",
  ]);
});

test("an operator's own settings and settings that are missing are in the list", async () => {
  const { stdout } = await wellspring(place, "apps", "list", "github");
  expect(stdout).not.toContain("own settings");
  await fetch(`${platform.url.replace(/\/v1.*$/, "")}/admin/apps/github`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${platform.adminToken}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: "Octocat" }),
  });
  const renamed = await wellspring(place, "apps", "list", "octocat");
  expect(renamed.stdout).toMatch(/github +Octocat +oauth +needs a client, own settings\n$/);
});

test("without an admin token, the commands say which one they need", async () => {
  const { WELLSPRING_ADMIN_TOKEN: _, ...env } = place.env;
  const url = "https://platform.example";
  const { code, stderr } = await wellspring(
    { ...place, env: { ...env, WELLSPRING_URL: url } },
    "apps",
    "list",
  );
  expect([code, stderr]).toEqual([
    1,
    `error: Apps are set up by the operator: there is no admin token for ${url}; set WELLSPRING_ADMIN_TOKEN to the ADMIN_TOKEN of the platform\n`,
  ]);
});
