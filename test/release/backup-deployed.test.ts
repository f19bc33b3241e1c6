import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { openDeployed } from "../../tools/scripts/backup/deployed.ts";
import { makeBackup } from "../../tools/scripts/backup/make.ts";
import { checkBackup, restoreBackup } from "../../tools/scripts/backup/restore.ts";
import { readSecrets } from "../../tools/scripts/deploy/secrets.ts";
import { newOperator } from "../support/operator.ts";

type Operator = Awaited<ReturnType<typeof newOperator>>;

const KEEPING = `export default { name: "Keeping", version: "0.0.1",
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db", token: { type: "string", secret: true } },
  run() {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.http.respond({ status: 200, body: { count, token: this.token } });
  } };`;

const secretsOf = ({ secretsFolder }: Operator) =>
  readSecrets(join(secretsFolder, "production.env"));

async function send<T>(
  { cloudflare }: Operator,
  path: string,
  { token = "", body }: { token?: string | undefined; body?: object },
): Promise<T> {
  const response = await cloudflare.reach(`https://platform.example${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  const text = await response.text();
  expect([path, response.status, text]).toEqual([path, 200, expect.any(String)]);
  const parsed: T = JSON.parse(text);
  return parsed;
}

const pathOf = (url: string) => new URL(url).pathname;

test("a backup of a deployed platform is restored into another account", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const first = await newOperator();
  await first.deploy();
  const { ADMIN_TOKEN, MASTER_KEY = "" } = await secretsOf(first);
  const made = await send<{ data: { api_key: string } }>(first, "/admin/users", {
    token: ADMIN_TOKEN,
    body: { username: "ada", email: "ada@example.com", plan: "free" },
  });
  const token = made.data.api_key;
  const source = await send<{
    data: { id: string; configured_props: { http: { endpoint_url: string } } };
  }>(first, "/v1/sources", {
    token,
    body: { component_code: KEEPING, configured_props: { token: "kept" } },
  });
  const endpoint = pathOf(source.data.configured_props.http.endpoint_url);
  expect(await send(first, endpoint, {})).toEqual({ count: 1, token: "kept" });

  const folder = join(await mkdtemp(join(tmpdir(), "deployed-")), "backup");
  onTestFinished(() => rm(join(folder, ".."), { recursive: true, force: true }));
  const manifest = await makeBackup(
    await openDeployed("production", { ...first.world, print }),
    folder,
    print,
  );
  expect(manifest).toMatchObject({
    origin: expect.stringContaining("workers.dev"),
    release: expect.stringMatching(/^[0-9a-f]{12}$/),
  });

  // It overwrites itself only with --force, and another account's key rejects it.
  const backup = await checkBackup(folder);
  const restore = async (operator: Operator, force = false) =>
    restoreBackup(
      await openDeployed("production", { ...operator.world, print }),
      { folder, backup, force },
      print,
    );
  await expect(restore(first)).rejects.toThrow("is not empty");
  const stranger = await newOperator();
  await stranger.deploy({ skipCanary: true });
  await expect(restore(stranger)).rejects.toThrow("does not belong to this MASTER_KEY");

  const second = await newOperator();
  await second.deploy({ skipCanary: true }, { MASTER_KEY });
  await restore(second);
  expect(await send(second, endpoint, {})).toEqual({ count: 2, token: "kept" });
  const again = await send<{ data: { name: string } }>(second, "/v1/components", {
    token,
    body: { component_code: KEEPING },
  });
  expect(again.data.name).toBe("Keeping");

  // A second restore changes nothing: restored objects stay as they are.
  await restore(second, true);
  expect(await send(second, endpoint, {})).toEqual({ count: 3, token: "kept" });
  expect(lines.join("\n")).toContain("1 were there already");
});
