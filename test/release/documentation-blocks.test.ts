import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { Webhook } from "standardwebhooks";
import { beforeAll, expect, test } from "vitest";

import { call, deploy, type DeployedSource, eventsOf } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { ROOT } from "../../tools/scripts/local/settings.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";
import { type Block, documentedBlocks } from "../support/documentation/blocks.ts";
import { EXCEPTIONS } from "../support/documentation/exceptions.ts";
import { runShell, type Stage } from "../support/documentation/shell.ts";

const isExcepted = ({ page, text }: Block): boolean =>
  EXCEPTIONS.some((each) => each.page === page && text.startsWith(each.begins));

const all = await documentedBlocks();
const blocks = all.filter((block) => !isExcepted(block));
const pages = [...new Set(blocks.map(({ page }) => page))];
const of = (page: string, ...languages: string[]) =>
  blocks.filter((block) => block.page === page && languages.includes(block.language));

/** Pages that build on another. */
const FOLLOWS: Record<string, string> = { "docs/webhooks.md": "docs/quick-start.md" };

let stage: Stage;

/** The output of the shell blocks of pages. */
const outputs = new Map<string, string>();

beforeAll(async () => {
  const [scratch, stateDir] = await Promise.all(
    ["blocks-", "blocks-state-"].map((name) => mkdtemp(join(tmpdir(), name))),
  );
  if (scratch === undefined || stateDir === undefined) throw new Error("There are no folders");
  const platform = await startPlatform({ stateDir });
  const { id: userId } = await call<{ id: string }>(platform, "/users/me");
  stage = { platform, userId, stateDir, scratch, receiverPort: await freePort() };
  return async () => {
    await platform.stop();
    for (const folder of [scratch, stateDir]) await rm(folder, { recursive: true, force: true });
  };
});

test("each exception is an existing block, and has a reason", () => {
  const unused = EXCEPTIONS.filter(
    ({ page, begins, why }) =>
      why === "" || !all.some((block) => block.page === page && block.text.startsWith(begins)),
  );
  expect(unused).toEqual([]);
  expect(blocks.length).toBeGreaterThan(25);
});

test.for(pages.filter((page) => of(page, "sh").length > 0))(
  "the shell blocks of %s succeed one after the other",
  async (page) => {
    const before = FOLLOWS[page];
    const known = before === undefined ? [] : of(before, "sh");
    const output = await runShell([...known, ...of(page, "sh")], stage);
    expect(output).toContain(`== ${of(page, "sh").at(-1)?.place}`);
    outputs.set(page, output);
  },
);

test("the quick start ends with a delivered event, which its receiver verified", () => {
  const output = outputs.get("docs/quick-start.md");
  expect(output).toContain('verified {"id":1,"item":"tea"}');
  expect(output).toContain('"state":"delivered"');
});

/** Whether a block is a component, which the test deploys. */
const isComponent = ({ text }: Block): boolean => /^ {2}(?:async )?run\(/m.test(text);

/** Values of props without a default, by the name of the component. */
const VALUES: Record<string, object> = { "Describe an order": { item: "tea" } };

const components = blocks.filter((block) => block.language !== "sh" && isComponent(block));
const isAction = ({ text }: Block): boolean => text.includes('type: "action"');
const named = (some: Block[]) => some.map((block) => [block.place, block] as const);

test.for(named(components.filter(isAction)))(
  "the action at %s deploys and runs",
  async ([, { text, language }]) => {
    const [, name = ""] = /name: "([^"]+)"/.exec(text) ?? [];
    const body = { component_code: text, language, configured_props: VALUES[name] };
    const action = await call<{ os: object[]; ret: unknown }>(stage.platform, "/actions/run", body);
    expect(JSON.stringify(action.os)).not.toContain('"error"');
    expect(action.ret).toBeTruthy();
  },
);

test.for(named(components.filter((block) => !isAction(block))))(
  "the source at %s deploys and emits",
  async ([, { text, language }]) => {
    const { platform } = stage;
    const code = { component_code: text, language };
    const source = await call<DeployedSource>(platform, "/sources", code);
    const event = { method: "POST", body: { id: 1, total: 200, email: "ada@example.com" } };
    const run = await call<object>(platform, `/sources/${source.id}/run`, { event, wait: 20 });
    expect(run).toMatchObject({ state: "finished" });
    // Not of the run alone: a timer's first tick, on deploy, emits as well.
    expect(await eventsOf(platform, source)).not.toEqual([]);
  },
);

test("the filter of the contract is valid, and matches the event that it describes", async () => {
  const [filter] = of("docs/contract.md", "js");
  const { platform } = stage;
  const source = await deploy(
    platform,
    `export default { name: "Orders", version: "1", run() {
      this.$emit({ status: "paid", total: 100, address: { country: "DE" } }); } };`,
  );
  const hook = await call<{ id: string }>(platform, "/webhooks", { url: "http://127.0.0.1:9/" });
  await call(platform, "/subscriptions", {
    emitter_id: source.id,
    listener_id: hook.id,
    filter: filter?.text.trim().replace(/;$/, ""),
  });
  await call(platform, `/sources/${source.id}/run`, { event: {}, wait: 20 });
  await expect
    .poll(() => call<object[]>(platform, `/webhooks/${hook.id}/deliveries`))
    .toHaveLength(1);
});

const CLIENT = "packages/client/README.md";

/** Write code into this test's folder, with this platform's values and the client's sources. */
async function written(name: string, code: string): Promise<string> {
  const file = join(stage.scratch, name);
  const client = pathToFileURL(join(ROOT, "packages/client/src/index.ts")).href;
  const local = code
    .replaceAll("@wellspring/client", client)
    .replaceAll("http://127.0.0.1:8787", new URL(stage.platform.url).origin)
    .replaceAll('apiKey: "…"', `apiKey: "${stage.platform.apiKey}"`)
    .replaceAll("60_000", "2_000");
  await writeFile(file, local);
  return file;
}

test("the blocks of the client run one after the other", async () => {
  const script = of(CLIENT, "ts").filter(({ text }) => !text.includes("verifyWebhook"));
  expect(script.length).toBeGreaterThan(1);
  const code = script.map(({ text }) => text).join("\n");
  const file = await written("client.ts", code);
  const run = promisify(execFile)(process.execPath, ["--no-warnings", file]);
  // Its signal ends the stream.
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    if (!error.stderr.includes("TimeoutError")) throw error;
    return error;
  });
  expect(stdout).toMatch(/dc_\S+ greeter/);
});

function signed(body: string) {
  const [secret, at] = [`whsec_${randomBytes(32).toString("base64")}`, new Date()];
  const headers = {
    "webhook-id": "1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("1", at, body),
  };
  return { secret, headers, body };
}

test("the code that verifies webhooks accepts signed requests only", async () => {
  const [plain] = of("docs/webhooks.md", "js");
  const { isAuthentic } = (await import(
    pathToFileURL(await written("verify.mjs", plain?.text ?? "")).href
  )) as { isAuthentic: (delivery: object) => boolean };
  const delivery = signed('{"id":1}');
  expect(isAuthentic(delivery)).toBe(true);
  expect(isAuthentic({ ...delivery, body: '{"id":2}' })).toBe(false);

  const worker = of(CLIENT, "ts").find(({ text }) => text.includes("verifyWebhook"));
  const { default: receiver } = (await import(
    pathToFileURL(await written("receiver.ts", worker?.text ?? "")).href
  )) as { default: { fetch: (request: Request, env: object) => Promise<Response> } };
  const { headers, secret: SECRET, body } = delivery;
  const send = (text: string) =>
    receiver.fetch(new Request("http://receiver", { method: "POST", headers, body: text }), {
      SECRET,
    });
  expect(await (await send(body)).json()).toEqual({ id: 1 });
  await expect(send('{"id":2}')).rejects.toThrow(/signature/i);
});

test("each block runs above, or is an exception", () => {
  const scripts = new Set(["docs/contract.md", "docs/webhooks.md", CLIENT]);
  const left = blocks.filter(
    (block) => block.language !== "sh" && !isComponent(block) && !scripts.has(block.page),
  );
  expect(left.map(({ place }) => place)).toEqual([]);
});
