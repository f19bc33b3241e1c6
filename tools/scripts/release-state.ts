import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";

import { endpointOf, eventsOf } from "./api.ts";
import type * as platforms from "./platform.ts";
import { type Client, settleTenant } from "./release/tenant.ts";

/**
 * Store the state of a release as a fixture: `node tools/scripts/release-state.ts <commit>`. The release is checked out
 * from git and runs with its own code; its state is packed, with a list of the data that a test must find in it.
 * `NODE_MODULES` names a folder with its packages; without it they are installed.
 */
const ROOT = resolve(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "test/fixtures/releases");

/** No server listens here while the fixture is made, so that deliveries stay pending. */
const RECEIVER = "http://127.0.0.1:18917";

const COUNTER = `export default {
  name: "Counter", version: "0.0.1", dedupe: "unique",
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db", label: "string" },
  run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ id: body.id, count, label: this.label }, { id: body.id, summary: "Order " + body.id });
    this.http.respond({ status: 200, body: { count } });
  },
};`;

const SLOW = `export default {
  name: "Slow", version: "0.0.1",
  props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.slow) await new Promise((done) => setTimeout(done, 4000));
    this.$emit({ id: body.id });
  },
};`;

const [commit = ""] = process.argv.slice(2);
/** The release of the first fixture had neither workflows nor accounts. */
const hasTenants = commit !== "9073c16";
if (!/^[0-9a-f]{7,40}$/.test(commit)) throw new Error("The commit of a release is required");
const folder = await mkdtemp(join(tmpdir(), "release-"));
try {
  await keep(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function keep(work: string): Promise<void> {
  const release = join(work, "release");
  await mkdir(release);
  execFileSync("sh", ["-c", `git archive ${commit} | tar -x -C "${release}"`], { cwd: ROOT });
  const packages = process.env["NODE_MODULES"];
  if (packages) symlinkSync(packages, join(release, "node_modules"));
  else execFileSync("npm", ["ci"], { cwd: release, stdio: "inherit" });

  const stateDir = join(work, "state");
  const { startPlatform }: typeof platforms = await import(platformOf(release));
  const platform = await startPlatform({ stateDir });
  const adminToken = platform.adminToken || (await adminTokenOf(stateDir));
  const facts = await fill({ ...platform, adminToken }).finally(platform.kill);

  await mkdir(FIXTURES, { recursive: true });
  const archive = join(FIXTURES, `${commit}.tar.gz`);
  execFileSync("tar", ["-czf", archive, "-C", stateDir, "--exclude=running.*", "."]);
  await writeFile(join(FIXTURES, `${commit}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  if (!existsSync(archive)) throw new Error(`${archive} was not written`);
}

/** The module of a release that starts it: older ones have `scripts/` at their root. */
function platformOf(release: string): string {
  const file = join(release, "tools/scripts/platform.ts");
  return existsSync(file) ? file : join(release, "scripts/platform.ts");
}

/** Use a platform, and return the data that a later one must find. */
async function fill({ url, adminToken }: platforms.RunningPlatform) {
  const admin = url.replace(/\/v1$/, "/admin");
  const apiKey = await newUser(admin, adminToken);
  const tenant = hasTenants
    ? await settleTenant(clientOf(admin, adminToken), clientOf(url, apiKey), answerOf)
    : undefined;
  const post = <T>(path: string, body: object) => send<T>(`${url}${path}`, apiKey, body);
  const counter = await post<Source>("/sources", {
    component_code: COUNTER,
    configured_props: { label: "old" },
  });
  const webhook = await post<Webhook>("/webhooks", { url: `${RECEIVER}/orders` });
  await post("/subscriptions", { emitter_id: counter.id, listener_id: webhook.id });
  const slow = await post<Source>("/sources", { component_code: SLOW });

  for (const id of [1, 2, 2]) await trigger(endpointOf(counter), { id });
  await attempted(url, apiKey, webhook.id);
  await trigger(endpointOf(slow), { id: "unfinished", slow: true });
  const events = await eventsOf({ url, apiKey }, counter);
  return {
    apiKey,
    receiver: RECEIVER,
    webhook: { id: webhook.id, signingSecret: webhook.signing_secret },
    counter: {
      id: counter.id,
      endpoint: new URL(endpointOf(counter)).pathname,
      events: events.map(({ id, event }) => ({ id, event })),
    },
    slow: { id: slow.id, endpoint: new URL(endpointOf(slow)).pathname },
    ...(tenant && { tenant }),
  };
}

type Source = Parameters<typeof endpointOf>[0];
type Webhook = { id: string; signing_secret: string };

/** For a release whose `startPlatform` did not return it. */
async function adminTokenOf(stateDir: string): Promise<string> {
  const secrets = parseEnv(await readFile(join(stateDir, "secrets.env"), "utf8"));
  return secrets["ADMIN_TOKEN"] ?? "";
}

async function newUser(admin: string, adminToken: string): Promise<string> {
  const user = { username: "ada", email: "ada@example.com", plan: "free" };
  return (await send<{ api_key: string }>(`${admin}/users`, adminToken, user)).api_key;
}

function clientOf(base: string, token: string): Client {
  return (method, path, body) => send(`${base}${path}`, token, body, method);
}

async function answerOf(endpoint: string): Promise<unknown> {
  const text = await (await fetch(endpoint, { method: "POST" })).text();
  return JSON.parse(text || "null");
}

/** Wait until each event had one attempt and is due for a retry. */
async function attempted(url: string, apiKey: string, webhook: string): Promise<void> {
  for (;;) {
    const deliveries = await send<{ attempts: unknown[] }[]>(
      `${url}/webhooks/${webhook}/deliveries`,
      apiKey,
    );
    if (deliveries.filter(({ attempts }) => attempts.length > 0).length === 2) return;
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function trigger(endpoint: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${endpoint} returned ${response.status}`);
}

async function send<T>(
  url: string,
  token: string,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
  const answer: { data: T } = JSON.parse(text || "{}");
  return answer.data;
}
