import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { openAccount } from "../../tools/scripts/deploy/account.ts";
import { refusal } from "../support/cloudflare/api.ts";
import { ACCOUNT_ID, BASE, TOKEN } from "../support/cloudflare/server.ts";
import { newOperator } from "../support/operator.ts";

test("an error without a login names the command to log in", async () => {
  const home = await mkdtemp(join(tmpdir(), "nobody-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const nobody = { HOME: home, XDG_CONFIG_HOME: home, CLOUDFLARE_API_TOKEN: "" };
  await expect(openAccount(nobody)).rejects.toThrow(
    "Log in to Cloudflare with: npx wrangler login",
  );
});

test("an unknown token is reported with the permission that it needs", async () => {
  const { cloudflare, deploy } = await newOperator();
  await expect(deploy({}, { CLOUDFLARE_API_TOKEN: "another" })).rejects.toThrow(
    /Authentication error \(code 10000\)[^]*"Workers Scripts: Edit" on this account/,
  );
  expect(cloudflare.calls).toHaveLength(1);
});

test("a deployment rejects a token with a line break", async () => {
  const { deploy } = await newOperator();
  const outcome = deploy({}, { CLOUDFLARE_API_TOKEN: `${TOKEN}\n` });
  await expect(outcome).rejects.toThrow("another invalid character");
});

test("an account outside the token's permissions differs from one without a Worker", async () => {
  const { cloudflare, deploy } = await newOperator();
  cloudflare.faults.fail("GET", { answer: refusal(403, 9109, "Unauthorized to access") });
  await expect(deploy()).rejects.toThrow(/set CLOUDFLARE_ACCOUNT_ID to the token's account/);
  const outcome = deploy({}, { CLOUDFLARE_ACCOUNT_ID: "wellspring" });
  await expect(outcome).rejects.toThrow('32 hexadecimal digits, not "wellspring"');
});

test("the operator has to choose one of several accounts, but not the only one", async () => {
  const { cloudflare } = await newOperator();
  const environment = {
    CLOUDFLARE_API_BASE_URL: `${cloudflare.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: TOKEN,
  };
  expect(await openAccount(environment)).toMatchObject({ id: ACCOUNT_ID });
  cloudflare.accounts.push({ id: "f".repeat(32), name: "Others" });
  await expect(openAccount(environment)).rejects.toThrow(
    /several accounts\. Set CLOUDFLARE_ACCOUNT_ID to one of:\n {2}023e[^]*Others/,
  );
  cloudflare.accounts.length = 0;
  await expect(openAccount(environment)).rejects.toThrow("This token gives access to no account");
});

test("a deployment names a permission missing half-way, and keeps the existing resources", async () => {
  const { cloudflare, deploy } = await newOperator();
  cloudflare.faults.fail(`GET ${BASE}/queues`, { answer: refusal(403, 10_000, "No") });
  await expect(deploy()).rejects.toThrow(/look for the queue emissions[^]*"Queues: Edit"/);
  expect([...cloudflare.buckets]).toEqual(["wellspring-code"]);
});
