import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import { expect, onTestFinished, test } from "vitest";

import { call } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/scripts/registry-import.ts");
const COMPONENTS = 150;
const ADMIN_TOKEN = "an-operator-s-token-of-the-test-of-imports";

type Counts = { published: number; waiting: number };
type Report = { state: string; counts: Counts; items: unknown[] };

async function newFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of actions that share the file of their app. */
async function newCollection(): Promise<string> {
  const folder = await newFolder("collection-");
  const write = async (path: string, code: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), code);
  };
  await write("components/shop/shop.app.mjs", `export default { type: "app", app: "shop" };`);
  for (let n = 0; n < COMPONENTS; n += 1)
    await write(
      `components/shop/actions/do-${n}/do-${n}.mjs`,
      `import shop from "../../shop.app.mjs";
      export default { key: "shop-do-${n}", name: "Do ${n}", version: "0.1.0", type: "action",
        props: { shop }, run() { return ${n}; } };`,
    );
  return folder;
}

/** The command as an operator runs it, to its report. */
function startImport(folder: string, url: string) {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", SCRIPT, folder, "--json"],
    { env: { ...process.env, WELLSPRING_URL: url, ADMIN_TOKEN } },
  );
  onTestFinished(() => void child.kill());
  const ended = async () => {
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const report: Report = JSON.parse(out);
    return report;
  };
  return { ended: ended() };
}

test("an import that a kill interrupts goes on, and so does the command that began it", async () => {
  const [stateDir, folder, port] = [
    await newFolder("importing-"),
    await newCollection(),
    await freePort(),
  ];
  const options = { stateDir, port, variables: { ADMIN_TOKEN } };
  const killed = await startPlatform(options);
  onTestFinished(killed.kill);
  const origin = killed.url.replace(/\/v1$/, "");
  const operator = { url: `${origin}/admin`, apiKey: ADMIN_TOKEN };
  const importing = startImport(folder, origin);
  const countsOf = async () => {
    const [newest] = await call<{ id: string }[]>(operator, "/registry/imports");
    if (newest === undefined) return { published: 0, waiting: COMPONENTS };
    return (await call<{ counts: Counts }>(operator, `/registry/imports/${newest.id}`)).counts;
  };
  await expect
    .poll(async () => (await countsOf()).published, { timeout: 60_000, interval: 20 })
    .toBeGreaterThan(0);
  await killed.kill();

  const restarted = await startPlatform(options);
  onTestFinished(restarted.kill);
  expect((await countsOf()).waiting).toBeGreaterThan(0);
  expect(await importing.ended).toMatchObject({
    state: "ended",
    counts: { published: COMPONENTS, waiting: 0 },
    items: [],
  });
  const last = await call<unknown[]>(operator, `/registry/shop-do-${COMPONENTS - 1}/versions`);
  expect(last).toMatchObject([{ version: "0.1.0" }]);
}, 240_000);

test("a platform that does not answer is told in one line", async () => {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", SCRIPT, await newCollection()],
    {
      env: { ...process.env, WELLSPRING_URL: `http://127.0.0.1:${await freePort()}`, ADMIN_TOKEN },
    },
  );
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(code).toBe(1);
  expect(err).toMatch(/^Nothing answers at http:\S+: start the platform, or set WELLSPRING_URL\n$/);
});
