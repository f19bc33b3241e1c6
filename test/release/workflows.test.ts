import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { call } from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/scripts/workflows.ts");

let stateDir: string;
let platform: RunningPlatform;
let owner: string;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "workflows-"));
  platform = await startPlatform({ stateDir });
  owner = (await call<{ id: string }>(platform, "/users/me")).id;
});

afterAll(async () => {
  await platform.stop();
  await rm(stateDir, { recursive: true, force: true });
});

const greeting = (name: string, words: string) => `
# yaml-language-server: $schema=../docs/schemas/workflow.json
name: ${name}
trigger: { type: http }
steps:
  - name: greet
    component_code: |
      export default { run({ $ }) { $.respond({ status: 200, body: "${words}" }); } };
`;

const STEPS = [{ name: "wait", component_code: "export default { run() {} };" }];

/** A folder of workflows, by file name. */
async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "folder-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Run the command like an operator, and return its line for each workflow; rejects if it fails. */
async function deployAll(
  folder: string,
  { token = platform.adminToken, args = ["--owner", owner] } = {},
): Promise<WorkflowLine[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", SCRIPT, "--folder", folder, ...args],
    {
      env: {
        ...process.env,
        WELLSPRING_URL: platform.url.replace(/\/v1$/, ""),
        ADMIN_TOKEN: token,
      },
    },
  );
  return stdout
    .trim()
    .split("\n")
    .map((line) => lineFields(line));
}

type WorkflowLine = { id: string; deployment: string; url: string };

/** The content of one workflow's line: its id, its deployment and its endpoint. */
function lineFields(line: string): WorkflowLine {
  const [, id = "", deployment = "", trigger = "{}"] =
    /: (p_\w+) (d_\w+) (\{.*\})$/.exec(line) ?? [];
  const { endpoint_url: url = "" }: { endpoint_url?: string } = JSON.parse(trigger);
  return { id, deployment, url };
}

const answerOf = async (url: string) => (await fetch(url, { method: "POST" })).text();

test("a second deploy of a folder of workflows keeps their ids and endpoints", async () => {
  const folder = await folderOf({
    "a.yaml": greeting("Greet", "hello"),
    "b.json": JSON.stringify({
      $schema: platform.url.replace(/v1$/, "schemas/workflow.json"),
      name: "Wait",
      trigger: { type: "none" },
      steps: STEPS,
      owner_id: owner,
    }),
    "notes.txt": "no workflow",
  });
  const first = await deployAll(folder);
  expect(first).toHaveLength(2);
  expect(await Promise.all(first.slice(0, 1).map(({ url }) => answerOf(url)))).toEqual(["hello"]);

  await writeFile(join(folder, "a.yaml"), greeting("Greet", "good evening"));
  const second = await deployAll(folder);
  const stay = (all: WorkflowLine[]) => all.map(({ id, url }) => ({ id, url }));
  expect(stay(second)).toEqual(stay(first));
  expect(second[0]).not.toEqual(first[0]);
  const answers = await Promise.all(second.slice(0, 1).map(({ url }) => answerOf(url)));
  expect(answers).toEqual(["good evening"]);
});

test("the command finds a workflow by its name on any page of its owner's list", async () => {
  const admin = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
  const { id } = await call<{ id: string }>(admin, "/users", {
    username: "many",
    email: "many@example.com",
    plan: "free",
  });
  const folder = await folderOf({
    "first.yaml": greeting("First", "first"),
  });
  const args = ["--owner", id];
  const [before] = await deployAll(folder, { args });
  for (let n = 0; n < 101; n += 1)
    await call(admin, "/workflows", {
      owner_id: id,
      name: `Other ${n}`,
      trigger: { type: "none" },
      steps: STEPS,
    });
  const [after] = await deployAll(folder, { args });
  expect(after).toMatchObject({ id: before?.id });
});

test.for([
  [{}, /There is no workflow in /],
  [{ "a.yaml": "steps: []" }, /a\.yaml: name is required/],
  [{ "a.yaml": "name: [" }, /a\.yaml: Flow sequence/],
  [
    { "a.yaml": "name: A\ntrigger: { type: sun }\nsteps: []" },
    /a\.yaml: .*returned 400: .*trigger/,
  ],
  [{ "a.yaml": greeting("A", '" + '), "b.yaml": "name: [" }, /b\.yaml: /],
] as const)("the command rejects %j, and deploys nothing", async ([files, words]) => {
  const count = async () => {
    const path = `/workflows?owner_id=${owner}&limit=100`;
    const admin = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
    return (await call<unknown[]>(admin, path)).length;
  };
  const before = await count();
  const failed = await deployAll(await folderOf(files)).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(words), stdout: "" });
  expect(failed).not.toMatchObject({ stderr: expect.stringContaining("    at ") });
  expect(await count()).toBe(before);
});

test("the command names a missing token, a wrong one and a missing owner", async () => {
  const folder = await folderOf({ "a.yaml": greeting("A", "a") });
  const failing = (options: Parameters<typeof deployAll>[1]) => deployAll(folder, options);
  await expect(failing({ token: "" })).rejects.toMatchObject({
    stderr: expect.stringContaining("ADMIN_TOKEN is required"),
  });
  await expect(failing({ token: "wrong" })).rejects.toMatchObject({
    stderr: expect.stringContaining('"code":"unauthorized"'),
  });
  await expect(failing({ args: [] })).rejects.toMatchObject({
    stderr: expect.stringContaining("owner_id is required, in the file or as --owner"),
  });
});
