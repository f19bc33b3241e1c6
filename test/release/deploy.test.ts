// @runs first

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { expect, test } from "vitest";

import { BASE } from "../support/cloudflare/server.ts";
import { changesIn, EMPTY, newOperator, firstWords } from "../support/operator.ts";

/** Bindings without secrets, which are not uploaded twice. */
function sorted(bindings: { type: string; name: string }[] = []) {
  return bindings
    .filter(({ type }) => type !== "secret_text")
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The uploads of Workers in a list of calls. */
function uploadsIn(calls: readonly string[]): string[] {
  return calls.flatMap((call) => /^PUT .*\/workers\/scripts\/([^/]+)$/.exec(call)?.[1] ?? []);
}

test("one command deploys to an empty account, and a second one changes nothing", async () => {
  const { cloudflare, deploy, runWrangler, secretsFolder } = await newOperator();
  const first = await deploy();
  expect(first.at(-1)).toContain("https://wellspring.wellspring-023e105f.workers.dev/v1");
  expect(cloudflare.unrouted).toEqual([]);
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
  expect([...cloudflare.queues.keys()]).toEqual(["emissions", "emissions-dead"]);
  expect(cloudflare.namespaces.names()).toEqual(["wellspring-components"]);
  expect([...cloudflare.outbounds]).toEqual(["wellspring-outbound"]);

  // Only this user can read the file of the secrets, which are those of the Worker.
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
  expect(firstWords(second)).not.toContain("created");
  expect(firstWords(second)).not.toContain("uploaded");
  expect(firstWords(second)).not.toContain("applied");
  expect(
    changesIn(cloudflare.calls).filter((call) => /(bucket|database|queue|namespace)s?$/.test(call)),
  ).toEqual([]);
  expect(changesIn(cloudflare.calls)).not.toContain(`PUT ${BASE}/workers/scripts/wellspring`);
  expect(cloudflare.worker.secrets).toEqual(secrets);
  expect(await readFile(file, "utf8")).toBe(kept);
  expect(cloudflare.unrouted).toEqual([]);

  // A plain `wrangler deploy` afterwards uploads the same.
  const bindings = sorted(cloudflare.worker.upload?.bindings);
  await runWrangler("deploy");
  expect(sorted(cloudflare.worker.upload?.bindings)).toEqual(bindings);
  expect(cloudflare.worker.secrets).toEqual(secrets);
});

test("staging and production exist side by side, with separate resources", async () => {
  const { cloudflare, deploy, secretsFolder } = await newOperator();
  await deploy();
  const { upload, secrets } = cloudflare.worker;
  const known = [upload?.bindings, new Map(secrets)];
  cloudflare.calls.length = 0;
  const lines = await deploy({ environment: "staging" }, { NPM_TOKEN: "npm-secret" });
  expect(firstWords(lines).filter((word) => word === "exists")).toHaveLength(1);
  expect(lines.at(-1)).toContain("https://wellspring-staging.wellspring-023e105f.workers.dev/v1");
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring", "wellspring-staging"]);
  expect([...cloudflare.outbounds]).toEqual(["wellspring-outbound", "wellspring-outbound-staging"]);
  expect([cloudflare.worker.upload?.bindings, cloudflare.worker.secrets]).toEqual(known);

  const staging = cloudflare.workerOf("wellspring-staging");
  expect(staging.consumed).toEqual(new Set(["emissions-staging"]));
  expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
  expect(staging.secrets.get("MASTER_KEY")).not.toBe(secrets.get("MASTER_KEY"));
  const bindings = staging.upload?.bindings ?? [];
  const names = bindings.flatMap(
    ({ dataset, workflow_name: workflow }) => dataset ?? workflow ?? [],
  );
  expect(names).toEqual([
    "wellspring-runs-staging",
    "wellspring-imports-staging",
    "wellspring_metrics_staging",
    "wellspring_egress_staging",
  ]);
  for (const name of ["production.env", "staging.env"])
    expect(existsSync(join(secretsFolder, name))).toBe(true);

  // The bundler Worker comes before the platform, and has separate resources.
  expect(uploadsIn(cloudflare.calls)).toEqual([
    "wellspring-staging-probe",
    "wellspring-outbound-staging",
    "wellspring-bundler-staging",
    "wellspring-staging",
  ]);
  const bundler = cloudflare.workerOf("wellspring-bundler-staging");
  expect(bundler.upload?.bindings).toEqual(
    expect.arrayContaining([
      { type: "r2_bucket", name: "CODE", bucket_name: "wellspring-code-staging" },
      { type: "plain_text", name: "NPM_REGISTRY_URL", text: "https://registry.example" },
      { type: "plain_text", name: "ALLOW_PRIVATE_TARGETS", text: "false" },
    ]),
  );
  expect([...bundler.secrets]).toEqual([["NPM_TOKEN", "npm-secret"]]);
  expect(staging.secrets.has("NPM_TOKEN")).toBe(false);
  expect(bindings).toContainEqual(
    expect.objectContaining({ name: "BUNDLER", service: "wellspring-bundler-staging" }),
  );
});

test("the canary deletes its resources, and those of an interrupted one", async () => {
  // Some places of the edge learn a new name later than that which was asked for its health.
  const { cloudflare, deploy, secretsFolder } = await newOperator({ strays: 3 });
  await deploy();
  const kept = parseEnv(await readFile(join(secretsFolder, "production.env"), "utf8"));
  const { reach } = cloudflare;
  const canary = {
    url: "https://wellspring.wellspring-023e105f.workers.dev/v1",
    apiKey: kept["CANARY_API_KEY"] ?? "",
  };
  const request = async (path: string, body?: object): Promise<{ id: string }[]> => {
    const response = await reach(`${canary.url}${path}`, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${canary.apiKey}`, "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    const { data }: { data: { id: string }[] } = await response.json();
    return [data].flat();
  };
  expect(await request("/users/me/sources")).toEqual([]);
  const [component] = await request("/components/wellspring-canary");
  await request("/sources", { component_id: component?.id });
  await deploy();
  expect(await request("/users/me/sources")).toEqual([]);
  expect((await request("/components/wellspring-canary"))[0]?.id).toBe(component?.id);
});

test("an npm token that an older release left on the platform must be given again", async () => {
  const { cloudflare, deploy } = await newOperator();
  cloudflare.worker.upload = EMPTY;
  cloudflare.worker.secrets.set("NPM_TOKEN", "theirs");
  await expect(deploy()).rejects.toThrow(/Set NPM_TOKEN .*wrangler secret delete NPM_TOKEN/);
  expect(changesIn(cloudflare.calls)).toEqual([]);
});

test.for(["http://127.0.0.1:4873/", "https://npm.corp.internal/", "registry"])(
  "%s is no registry for Cloudflare's network",
  async (NPM_REGISTRY_URL) => {
    const { cloudflare, deploy } = await newOperator();
    await expect(deploy({}, { NPM_REGISTRY_URL })).rejects.toThrow(
      /NPM_REGISTRY_URL .*Set NPM_REGISTRY_URL to a public registry/,
    );
    expect(changesIn(cloudflare.calls)).toEqual([]);
  },
);

test("a deployment without Analytics Engine enabled fails before it creates anything", async () => {
  const { cloudflare, deploy } = await newOperator({ analytics: false });
  await expect(deploy()).rejects.toThrow(
    /\(code 10089\)\.\nEnable Analytics Engine at https:\/\/dash\.cloudflare\.com\/023e.*\/workers\/analytics-engine, .*--without-metrics/,
  );
  expect(changesIn(cloudflare.calls)).toEqual([`PUT ${BASE}/workers/scripts/wellspring-probe`]);
  expect(cloudflare.workerOf("wellspring-probe").upload).toBeUndefined();
});

test("a deployment without Analytics Engine reports that there are no metrics", async () => {
  const { cloudflare, deploy } = await newOperator({ analytics: false });
  const lines = await deploy({ withoutMetrics: true });
  expect(lines).toContain("not used       Analytics Engine: the platform keeps no metrics");
  expect(cloudflare.workerOf("wellspring-probe").upload).toBeUndefined();
  const health = await cloudflare.reach("https://wellspring.example/health");
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ checks: { metrics: "off", egress_usage: "off" } });
});

test("an account on the Free plan is rejected with the plan that it needs", async () => {
  const { cloudflare, deploy } = await newOperator({ plan: "free" });
  await expect(deploy()).rejects.toThrow(/Workers Paid plan: choose it at https:/);
  expect(changesIn(cloudflare.calls)).toEqual([`PUT ${BASE}/workers/scripts/wellspring-probe`]);
});

test("a dry run lists the steps of a first run, and executes none", async () => {
  const { cloudflare, deploy, secretsFolder } = await newOperator();
  const lines = await deploy({ dryRun: true, environment: "staging" });
  expect(lines.map((line) => line.replace(/release \w+/, "release …"))).toEqual([
    "would generate ADMIN_TOKEN, MASTER_KEY, kept in staging.env: store a copy safely",
    "would check    that the account has the Workers Paid plan, Analytics Engine",
    "would create   D1 database wellspring-staging",
    "would create   R2 bucket wellspring-code-staging",
    "would create   queue emissions-staging",
    "would create   queue emissions-dead-staging",
    "would create   dispatch namespace wellspring-components-staging",
    'not used       dispatch namespace wellspring-components-staging: set DISPATCH_API_TOKEN to a token with "Workers Scripts: Edit" for components to run in it',
    "components     run in the Worker Loader",
    "would create   workers.dev subdomain wellspring-023e105f",
    expect.stringMatching(/^would apply {4}migrations of wellspring-staging: 0000_init.sql, /),
    "would upload   Worker wellspring-outbound-staging, the outbound Worker of wellspring-components-staging",
    "would upload   Worker wellspring-bundler-staging, which bundles components",
    "would upload   Worker wellspring-staging, release … with ADMIN_TOKEN, MASTER_KEY",
    "would check    https://wellspring-staging.wellspring-023e105f.workers.dev/health",
    "would check    a canary: request, source, queue, source",
  ]);
  expect(changesIn(cloudflare.calls)).toEqual([]);
  expect(existsSync(secretsFolder)).toBe(false);
});

test("an account without Workers for Platforms gets the loader, with a notice", async () => {
  const { cloudflare, deploy } = await newOperator({ dispatch: false });
  const lines = await deploy({}, { DISPATCH_API_TOKEN: "runtime" });
  expect(lines).toContain("not available  Workers for Platforms is not on this account");
  expect(lines).toContain("components     run in the Worker Loader");
  expect(lines.at(-1)).toContain("https://wellspring.wellspring-023e105f.workers.dev/v1");
  expect(cloudflare.namespaces.names()).toEqual([]);
});

test("an account with Workers for Platforms and a token for it runs components there", async () => {
  const { deploy } = await newOperator();
  const lines = await deploy({ dryRun: true }, { DISPATCH_API_TOKEN: "runtime" });
  expect(lines).toContain("components     run in the namespace wellspring-components");
});

test("a deployment does not replace the unknown master key of a database without its option", async () => {
  const { cloudflare, deploy, secretsFolder } = await newOperator();
  cloudflare.databases.set("wellspring", "known");
  await expect(deploy()).rejects.toThrow("Set MASTER_KEY");
  expect(existsSync(secretsFolder)).toBe(false);
  expect(changesIn(cloudflare.calls)).toEqual([]);
  const lines = await deploy({ dryRun: true }, { MASTER_KEY: "x" });
  expect(lines[0]).toContain("would generate ADMIN_TOKEN,");
});

test("a deployment without the ADMIN_TOKEN fails before it changes anything", async () => {
  const { cloudflare, deploy } = await newOperator();
  cloudflare.worker.upload = EMPTY;
  for (const name of ["ADMIN_TOKEN", "MASTER_KEY"]) cloudflare.worker.secrets.set(name, "theirs");
  await expect(deploy()).rejects.toThrow("Set ADMIN_TOKEN, or pass --skip-canary");
  expect(changesIn(cloudflare.calls)).toEqual([]);
});

test("a deployment rejects a short ADMIN_TOKEN before it changes anything", async () => {
  const { cloudflare, deploy } = await newOperator();
  await expect(deploy({}, { ADMIN_TOKEN: "seven77" })).rejects.toThrow(
    "ADMIN_TOKEN must have at least 8 characters",
  );
  expect(changesIn(cloudflare.calls)).toEqual([]);
});

test.for(["http://wellspring.example", "https://wellspring.example/path", "wellspring.example"])(
  "a deployment rejects %s as an origin",
  async (origin) => {
    const { deploy } = await newOperator();
    for (const name of ["PUBLIC_URL", "EVENTS_URL"])
      await expect(deploy({ dryRun: true }, { [name]: origin })).rejects.toThrow(
        `${name} must be an https origin without a path`,
      );
  },
);

test("a deployment rejects the API's origin for endpoints", async () => {
  const { deploy } = await newOperator();
  const origin = "https://events.example";
  await expect(
    deploy({ dryRun: true }, { PUBLIC_URL: origin, EVENTS_URL: origin }),
  ).rejects.toThrow("EVENTS_URL must be another origin than PUBLIC_URL");
});
