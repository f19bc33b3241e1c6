import { expect, test } from "vitest";

import { openAccount } from "../../tools/scripts/deploy/account.ts";
import { bundlerConfig } from "../../tools/scripts/deploy/bundler.ts";
import { checkDeployment } from "../../tools/scripts/deploy/check.ts";
import { configOf } from "../../tools/scripts/deploy/config.ts";
import { openReport } from "../../tools/scripts/deploy/report.ts";
import { refusal } from "../support/cloudflare/api.ts";
import { BASE } from "../support/cloudflare/server.ts";
import { EMPTY, newOperator } from "../support/operator.ts";

type Operator = Awaited<ReturnType<typeof newOperator>>;

/** The report of a check, with or without problems; it changes nothing. */
async function reportOf({ cloudflare, check }: Operator, own: Record<string, string> = {}) {
  const { lines, error } = await check(own);
  expect(cloudflare.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
  expect(cloudflare.unrouted).toEqual([]);
  return { lines: lines.map((line) => line.replace(/ {2,}/, " ")), error };
}

test("a check of a new account lists the resources that a deployment would create", async () => {
  const operator = await newOperator();
  operator.cloudflare.token.edits = ["Workers Scripts", "D1", "Queues", "Workers R2 Storage"];
  const { lines, error } = await reportOf(operator);
  expect(error).toBeUndefined();
  for (const line of [
    "allowed Workers Scripts: Edit",
    "allowed Workers R2 Storage: Edit",
    "exists the Workers Paid plan",
    "exists Analytics Engine",
    "would create a workers.dev subdomain",
    "would create D1 database wellspring",
    "would create R2 bucket wellspring-code",
    "would create queue emissions-dead",
    "would create dispatch namespace wellspring-components",
    "would upload Worker wellspring",
    "would upload Worker wellspring-bundler",
    "would upload Worker wellspring-outbound",
    "would create workflow wellspring-runs",
    "would create workflow wellspring-imports",
  ])
    expect(lines).toContain(line);
});

test("a check names each problem that blocks a deployment", async () => {
  const operator = await newOperator({ dispatch: false, analytics: false, plan: "free" });
  const { cloudflare } = operator;
  cloudflare.token.edits = ["Workers Scripts", "D1", "Queues"];
  cloudflare.workerOf("wellspring-bundler").upload = EMPTY;
  const off = refusal(403, 10_042, "Please enable R2 through the Cloudflare Dashboard.");
  cloudflare.faults.fail(`GET ${BASE}/r2`, { answer: off });
  const { lines, error } = await reportOf(operator);
  const report = lines.join("\n");
  expect(report).toMatch(/in the way.*lacks the permission "Workers R2 Storage: Edit"/);
  expect(report).toMatch(/in the way.*no Workers Paid plan/);
  expect(report).toMatch(/in the way.*Enable R2 at https:/);
  expect(report).toMatch(/in the way.*another Worker named wellspring-bundler/);
  expect(report).toMatch(/not known.*Analytics Engine: either it is not enabled/);
  expect(report).toMatch(/not available.*Workers for Platforms/);
  expect(error).toContain("4 of these are in the way");
});

test("a check lists the unknown permissions of a token that may not read them", async () => {
  const { lines, error } = await reportOf(await newOperator());
  expect(lines.join("\n")).toMatch(/not known.*permissions: .*"API Tokens: Read"/);
  expect(error).toBeUndefined();
});

test("a check covers the hostname", async () => {
  const operator = await newOperator();
  const own = { PUBLIC_URL: "https://events.acme.example" };
  const none = await reportOf(operator, own);
  expect(none.lines.join("\n")).toContain("its zone is not on this account");
  operator.cloudflare.zones.set("acme.example", { records: [], sends: false });
  expect((await reportOf(operator, own)).lines.join("\n")).toContain(
    "create hostname events.acme.example",
  );
  operator.cloudflare.zones.set("acme.example", { records: ["events.acme.example"], sends: true });
  expect((await reportOf(operator, own)).error).toContain("1 of these are in the way");
});

test.for([
  [true, "exists         Email Sending for mail.acme.example"],
  [false, expect.stringMatching(/^not ready .*only verified addresses receive any$/)],
])("a check reports whether mail reaches every address: %s", async ([sends, line]) => {
  const { cloudflare, world } = await newOperator();
  cloudflare.zones.set("acme.example", { records: [], sends: sends === true });
  const config = await configOf("production");
  const platform = { ...config, vars: { ...config.vars, EMAIL_FROM: "me@mail.acme.example" } };
  const bundler = await bundlerConfig(config, "https://registry.example");
  const lines: string[] = [];
  const report = openReport(true, (each) => lines.push(each));
  await checkDeployment(await openAccount(world.environment), { platform, bundler }, report);
  expect(lines).toContainEqual(line);
});
