import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { ROOT } from "../../tools/scripts/local/settings.ts";
import type { CloudflareAccount } from "../support/cloudflare/account.ts";
import { EMPTY, newOperator, firstWords } from "../support/operator.ts";

test("an upgrade of a release without a bundler keeps its data and secrets", async () => {
  const { cloudflare, deploy, secretsFolder } = await newOperator();
  const secrets = { ADMIN_TOKEN: "operator", MASTER_KEY: "0123456789abcdef".repeat(4) };
  await mkdir(secretsFolder);
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(secretsFolder, "production.env"), lines.join(""));
  await holdRelease(cloudflare, secrets);
  const upgrade = await deploy();
  expect(firstWords(upgrade)).not.toContain("created");
  expect(firstWords(upgrade)).not.toContain("generated");
  const [bundler, platform] = ["wellspring-bundler,", "wellspring,"].map((name) =>
    upgrade.findIndex((line) => line.startsWith("uploaded") && line.includes(`Worker ${name}`)),
  );
  expect(bundler).toBeGreaterThan(0);
  expect(platform).toBeGreaterThan(bundler ?? 0);
  expect(cloudflare.worker.secrets).toEqual(new Map(Object.entries(secrets)));
  const [users] = await cloudflare.worker.query("SELECT username FROM users WHERE id = 'u_ada'");
  expect(users).toMatchObject({ results: [{ username: "ada" }] });
});

const ADA = `INSERT INTO users (id, username, email, plan, created_at, updated_at)
  VALUES ('u_ada', 'ada', 'ada@example.com', 'free', 0, 0)`;

/** Bring an account to the state of the release before the bundler's: its last migration was 0012. */
async function holdRelease(cloudflare: CloudflareAccount, secrets: Record<string, string>) {
  const folder = join(ROOT, "migrations");
  const names = (await readdir(folder)).filter((name) => /^00(0\d|1[012])_.*\.sql$/.test(name));
  const table =
    "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);";
  const applied = names
    .toSorted()
    .map((name) => `INSERT INTO d1_migrations (name) VALUES ('${name}');`);
  const files = await Promise.all(
    names.toSorted().map((name) => readFile(join(folder, name), "utf8")),
  );
  await cloudflare.worker.load([table, ...files, ...applied, ADA].join("\n"));
  cloudflare.databases.set("wellspring", crypto.randomUUID());
  cloudflare.buckets.add("wellspring-code");
  for (const name of ["emissions", "emissions-dead"])
    cloudflare.queues.set(name, crypto.randomUUID());
  cloudflare.namespaces.create("wellspring-components");
  cloudflare.outbounds.add("wellspring-outbound");
  cloudflare.subdomain.name = "wellspring-023e105f";
  cloudflare.worker.upload = {
    ...EMPTY,
    bindings: [
      { type: "plain_text", name: "RELEASE", text: "84f593b" },
      { type: "plain_text", name: "NPM_REGISTRY_URL", text: "https://registry.example" },
      { type: "analytics_engine", name: "METRICS", dataset: "wellspring_metrics" },
      { type: "analytics_engine", name: "EGRESS_USAGE", dataset: "wellspring_egress" },
    ],
  };
  for (const [name, value] of Object.entries(secrets)) cloudflare.worker.secrets.set(name, value);
}
