import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { openApi } from "../../scripts/deploy/api.ts";
import { deployPlatform, type Options } from "../../scripts/deploy/deploy.ts";
import {
  ACCOUNT,
  type CloudflareAccount,
  openCloudflare,
  TOKEN,
} from "../support/cloudflare-api/account.ts";
import { newWorker } from "../support/cloudflare-api/worker.ts";

/** An empty account, and an operator's machine that knows nothing yet. */
async function operatorOf({ dispatch = true } = {}) {
  const worker = newWorker();
  const cloudflare = await openCloudflare({ dispatch, worker });
  const secretsFolder = await mkdtemp(join(tmpdir(), "secrets-"));
  onTestFinished(async () => {
    await worker.stop();
    cloudflare.close();
    await rm(secretsFolder, { recursive: true });
  });
  return { cloudflare, secretsFolder, ...deployerOf(cloudflare, secretsFolder) };
}

function deployerOf(cloudflare: CloudflareAccount, secretsFolder: string) {
  process.env["CLOUDFLARE_API_BASE_URL"] = cloudflare.url;
  process.env["CLOUDFLARE_API_TOKEN"] = TOKEN;
  process.env["CLOUDFLARE_ACCOUNT_ID"] = ACCOUNT;
  const deploy = async (
    options: Partial<Options> = {},
    environment: Record<string, string> = {},
  ) => {
    const lines: string[] = [];
    await deployPlatform(
      {
        environment: "production",
        dryRun: false,
        skipCanary: false,
        newMasterKey: false,
        ...options,
      },
      {
        environment: {
          CLOUDFLARE_API_TOKEN: TOKEN,
          CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
          NPM_REGISTRY_URL: "https://registry.example",
          ...environment,
        },
        print: (line) => lines.push(line),
        reach: cloudflare.reach,
        patience: { healthMs: 20_000, eventMs: 20_000, pollMs: 50 },
        secretsFolder,
        api: (token) => openApi(token, cloudflare.url, [10, 10, 10]),
      },
    );
    return lines;
  };
  return { deploy };
}

/** Everything that was changed on the account, without what is the same every time. */
const changes = (calls: string[]) =>
  calls.filter((call) => !call.startsWith("GET") && !call.endsWith("/query"));

/** The first words of the lines that tell of changes. */
const told = (lines: string[]) => lines.map((line) => line.split("  ")[0]?.trim());

test("an empty account serves after one command, and a second one changes nothing", async () => {
  const { cloudflare, deploy, secretsFolder } = await operatorOf();
  const first = await deploy();
  expect(first.at(-1)).toContain("https://wellspring.wellspring-01234567.workers.dev/v1");
  expect(cloudflare.unrouted).toEqual([]);
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
  expect([...cloudflare.queues.keys()]).toEqual(["emissions", "emissions-dead"]);
  expect([...cloudflare.namespaces]).toEqual(["wellspring-components"]);
  expect([...cloudflare.outbounds]).toEqual(["wellspring-outbound"]);

  // Only this user reads the secrets, which are what the Worker got.
  const file = join(secretsFolder, "production.env");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const kept = await readFile(file, "utf8");
  for (const name of ["ADMIN_TOKEN", "MASTER_KEY"])
    expect(kept).toContain(`${name}=${cloudflare.worker.secrets.get(name)}\n`);
  for (const line of first)
    expect(line).not.toContain(cloudflare.worker.secrets.get("ADMIN_TOKEN"));

  const secrets = new Map(cloudflare.worker.secrets);
  cloudflare.calls.length = 0;
  const second = await deploy();
  expect(told(second)).not.toContain("created");
  expect(told(second)).not.toContain("uploaded");
  expect(told(second)).not.toContain("applied");
  expect(
    changes(cloudflare.calls).filter((call) => /(bucket|database|queue|namespace)s?$/.test(call)),
  ).toEqual([]);
  expect(changes(cloudflare.calls)).not.toContain(
    `PUT /accounts/${ACCOUNT}/workers/scripts/wellspring`,
  );
  expect(cloudflare.worker.secrets).toEqual(secrets);
  expect(await readFile(file, "utf8")).toBe(kept);
  expect(cloudflare.unrouted).toEqual([]);
});

test("a dry run says what a first run would do, and does none of it", async () => {
  const { cloudflare, deploy, secretsFolder } = await operatorOf();
  const lines = await deploy({ dryRun: true, environment: "staging" });
  expect(lines.map((line) => line.replace(/release \w+/, "release …"))).toEqual([
    "would generate ADMIN_TOKEN, MASTER_KEY, kept in staging.env: store a copy safely",
    "would create   D1 database wellspring-staging",
    "would create   R2 bucket wellspring-code-staging",
    "would create   queue emissions-staging",
    "would create   queue emissions-dead-staging",
    "would create   dispatch namespace wellspring-components-staging",
    'not used       dispatch namespace wellspring-components-staging: set DISPATCH_API_TOKEN to a token with "Workers Scripts: Edit" for components to run in it',
    "components     run in the Worker Loader",
    "would create   workers.dev subdomain wellspring-01234567",
    expect.stringMatching(/^would apply {4}migrations of wellspring-staging: 0000_init.sql, /),
    "would upload   Worker wellspring-outbound-staging, the way out of wellspring-components-staging",
    "would upload   Worker wellspring-staging, release … with ADMIN_TOKEN, MASTER_KEY",
    "would check    https://wellspring-staging.wellspring-01234567.workers.dev/health",
    "would check    a canary: request, source, queue, source",
  ]);
  expect(changes(cloudflare.calls)).toEqual([]);
  expect(await readdir(secretsFolder)).toEqual([]);
});

test("an account without Workers for Platforms gets the loader, and is told so", async () => {
  const { cloudflare, deploy } = await operatorOf({ dispatch: false });
  const lines = await deploy({ dryRun: true }, { DISPATCH_API_TOKEN: "runtime" });
  expect(lines).toContain("not available  Workers for Platforms is not on this account");
  expect(lines).toContain("components     run in the Worker Loader");
  expect(cloudflare.namespaces.size).toBe(0);
});

test("an account with Workers for Platforms and a token for it runs components there", async () => {
  const { deploy } = await operatorOf();
  const lines = await deploy({ dryRun: true }, { DISPATCH_API_TOKEN: "runtime" });
  expect(lines).toContain("components     run in the namespace wellspring-components");
});

const ACCOUNT_PATH = `/accounts/${ACCOUNT}`;

test.for([
  [`GET ${ACCOUNT_PATH}/workers/scripts/wellspring/settings`, "look at the Worker wellspring"],
  [`GET ${ACCOUNT_PATH}/d1/database`, "look for the D1 database wellspring"],
  [`POST ${ACCOUNT_PATH}/d1/database`, "create the D1 database wellspring"],
  [`GET ${ACCOUNT_PATH}/r2/buckets`, "look for the R2 bucket wellspring-code"],
  [`POST ${ACCOUNT_PATH}/r2/buckets`, "create the R2 bucket wellspring-code"],
  [`GET ${ACCOUNT_PATH}/queues`, "look for the queue emissions"],
  [`POST ${ACCOUNT_PATH}/queues`, "create the queue emissions"],
  [`GET ${ACCOUNT_PATH}/workers/dispatch`, "look for the dispatch namespace wellspring-components"],
  [`POST ${ACCOUNT_PATH}/workers/dispatch`, "create the dispatch namespace wellspring-components"],
  [`GET ${ACCOUNT_PATH}/workers/subdomain`, "look for the workers.dev subdomain"],
  [`PUT ${ACCOUNT_PATH}/workers/subdomain`, "create the workers.dev subdomain"],
] as const)("%s that fails is told with what to do", async ([call, task]) => {
  const { cloudflare, deploy } = await operatorOf();
  const refused = (words: string) =>
    expect(deploy()).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining(words) }),
    );
  cloudflare.fail(call, { status: 500, message: "Internal error" });
  await refused(`Cloudflare's API did not ${task}`);
  await refused("https://www.cloudflarestatus.com");
  cloudflare.fail(call, { status: 403, code: 10_000, message: "Authentication error" });
  await refused("Give CLOUDFLARE_API_TOKEN the permission");
  cloudflare.fail(call, { status: 429, code: 10_429, message: "Rate limited" });
  await refused("Its rate limit lasts five minutes");
  cloudflare.fail(call, { status: 0 });
  await refused("it does not answer");
});

test("calls that fail twice and then succeed are no failure", async () => {
  const { cloudflare, deploy } = await operatorOf();
  cloudflare.fail("GET", { status: 503, times: 2 });
  cloudflare.fail("POST", { status: 429, times: 2 });
  await expect(deploy({ dryRun: true })).resolves.toBeDefined();
});

test("R2 that is not enabled is said to be", async () => {
  const { cloudflare, deploy } = await operatorOf();
  const message = "Please enable R2 through the Cloudflare Dashboard.";
  cloudflare.fail(`POST ${ACCOUNT_PATH}/r2`, { status: 403, code: 10_042, message });
  await expect(deploy()).rejects.toThrow(/Enable R2 at https:\/\/dash/);
});

test("a run that ended at any point is ended by the next, with the same secrets", async () => {
  const { cloudflare, deploy, secretsFolder } = await operatorOf();
  const file = join(secretsFolder, "production.env");
  const points: [call: string, said: RegExp][] = [
    [`POST ${ACCOUNT_PATH}/queues`, /create the queue emissions/],
    [`PUT ${ACCOUNT_PATH}/workers/scripts/wellspring`, /upload the Worker wellspring/],
    [`PUT ${ACCOUNT_PATH}/workers/scripts/wellspring/schedules`, /upload the Worker wellspring/],
  ];
  let kept: string | undefined;
  for (const [call, said] of points) {
    cloudflare.recover();
    cloudflare.fail(call, { status: 400, code: 10_001, message: "No" });
    await expect(deploy()).rejects.toThrow(said);
    kept ??= await readFile(file, "utf8");
  }
  cloudflare.recover();
  const lines = await deploy();
  expect(told(lines)).toContain("attached");
  expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
  expect(await readFile(file, "utf8")).toContain(kept);
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
});

test("a database whose master key is unknown is not given another one unasked", async () => {
  const { cloudflare, deploy, secretsFolder } = await operatorOf();
  cloudflare.databases.set("wellspring", "known");
  await expect(deploy()).rejects.toThrow("Set MASTER_KEY");
  expect(await readdir(secretsFolder)).toEqual([]);
  expect(changes(cloudflare.calls)).toEqual([]);
  const lines = await deploy({ dryRun: true }, { MASTER_KEY: "x" });
  expect(lines[0]).toContain("would generate ADMIN_TOKEN,");
});

test("a machine that does not know the ADMIN_TOKEN is told before anything is changed", async () => {
  const { cloudflare, deploy } = await operatorOf();
  cloudflare.worker.upload = {
    main: "",
    compatibilityDate: "",
    compatibilityFlags: [],
    bindings: [],
    modules: [],
  };
  for (const name of ["ADMIN_TOKEN", "MASTER_KEY"]) cloudflare.worker.secrets.set(name, "theirs");
  await expect(deploy()).rejects.toThrow("Set ADMIN_TOKEN, or pass --skip-canary");
  expect(changes(cloudflare.calls)).toEqual([]);
});

test.for(["http://wellspring.example", "https://wellspring.example/path", "wellspring.example"])(
  "%s is no origin to be reached at",
  async (PUBLIC_URL) => {
    const { deploy } = await operatorOf();
    await expect(deploy({ dryRun: true }, { PUBLIC_URL })).rejects.toThrow(
      "an https origin without a path",
    );
  },
);
