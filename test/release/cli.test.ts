import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import type { RunningPlatform } from "../../tools/scripts/platform.ts";
import {
  begin,
  type CliPlace,
  type CliSource,
  jsonOf,
  openPlace,
  ORDERS,
  post,
  wellspring,
} from "../support/cli.ts";
import { runTests } from "../support/component-folder.ts";
import { serve } from "../support/serve.ts";

const ACTION = join(import.meta.dirname, "../../examples/workflow-action.ts");

let folder: string;
let place: CliPlace;
let platform: RunningPlatform;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ folder, platform, place, close } = await openPlace());
});

afterAll(() => close());

test("the commands deploy, run, show, pause, resume, change and delete a source", async () => {
  const { id, configured_props } = await jsonOf<CliSource>(place, "deploy", ORDERS, "-n", "shop");
  await post(configured_props["http"]?.endpoint_url ?? "", { id: 1 });
  const event = join(folder, "event.json");
  await writeFile(event, JSON.stringify({ body: { id: 2 } }));
  const shown = await wellspring(place, "run", "shop", "--event", event);
  expect(shown.stdout).toMatch(/emit +Order 2\n\S+ finished, 1 event\n$/);
  await writeFile(event, JSON.stringify({ body: { id: 3 } }));
  const run = await jsonOf<object>(place, "run", "shop", "--event", event);
  expect(run).toMatchObject({ state: "finished", events: [{ event: { id: 3 } }] });
  const failing = await wellspring(place, "run", "shop");
  expect([failing.code, failing.stderr]).toEqual([1, expect.stringContaining("failed")]);

  const { stdout } = await wellspring(place, "events", "shop", "-n", "2");
  expect(stdout).toMatch(/emit +Order 2\n.*emit +Order 3\n$/);
  const logs = await wellspring(place, "logs", id);
  expect(logs.stdout).toContain("TypeError: Cannot read properties of undefined");
  expect((await wellspring(place, "describe", "shop")).stdout).toContain(id);
  expect(await jsonOf(place, "pause", "shop")).toMatchObject({ id, active: false });
  expect(await jsonOf(place, "resume", "shop")).toMatchObject({ id, active: true });
  expect(await jsonOf(place, "deploy", ORDERS, "-n", "shop")).toMatchObject({ id });
  expect(await jsonOf(place, "delete", "shop")).toEqual([{ id, deleted: true }]);
  const { code, stderr } = await wellspring(place, "describe", "shop");
  expect([code, stderr]).toEqual([
    1,
    "error: There is no source shop; `wellspring list sources` shows existing ones\n",
  ]);
});

test("deploy warns about misspelt names in a component, and its output stays unchanged", async () => {
  const path = join(folder, "misspelled.js");
  const code = `export default { name: "Misspelled", version: "1", dedup: "unique", run() {} };`;
  await writeFile(path, code);
  const { stdout, stderr } = await wellspring(place, "deploy", path, "--json");
  const { id }: { id: string } = JSON.parse(stdout);
  expect(stderr).toContain('warning  dedup: is not a known field: did you mean "dedupe"?\n');
  await wellspring(place, "delete", id);

  const dev = begin(place, "dev", path);
  onTestFinished(() => void dev.child.kill("SIGKILL"));
  const warning = /warning +dedup: is not a known field/g;
  await dev.until(/waiting for events/);
  expect(dev.output.stdout.match(warning)).toHaveLength(1);
  await writeFile(path, code.replace("run()", "run(event)"));
  await dev.until(/redeployed/);
  expect(dev.output.stdout.match(warning)).toHaveLength(2);
});

test("deploy spreads a source over shards", async () => {
  const path = join(folder, "spread.js");
  const code = `export default { name: "Spread", version: "1", props: { http: "$.interface.http" }, run() {} };`;
  await writeFile(path, code);
  const { id } = await jsonOf<CliSource>(place, "deploy", path, "-n", "spread");
  const spread = await jsonOf(place, "deploy", path, "-n", "spread", "--shards", "2");
  expect(spread).toMatchObject({ id, shards: 2 });
  await wellspring(place, "delete", id);
  const refused = await wellspring(place, "deploy", ORDERS, "--shards", "2");
  expect(refused.stderr).toContain("shards: must be 1 for a component with");
});

test("logs shows the lines of a run in their order, and says if there are none", async () => {
  const path = join(folder, "lines.js");
  const code = `export default { name: "L", version: "1", props: { http: "$.interface.http" },
    run() { for (const each of [1, 2, 3]) console.log("line", each); } };`;
  await writeFile(path, code);
  const { configured_props } = await jsonOf<CliSource>(place, "deploy", path, "-n", "lines");
  expect((await wellspring(place, "logs", "lines")).stdout).toBe("No log lines yet\n");
  await post(configured_props["http"]?.endpoint_url ?? "", {});
  await expect
    .poll(async () => (await wellspring(place, "logs", "lines")).stdout)
    .toMatch(/line 1\n.*line 2\n.*line 3\n$/);
});

test("events and logs follow new ones", async () => {
  const deployed = await jsonOf<CliSource>(place, "deploy", ORDERS, "-n", "followed");
  const url = deployed.configured_props["http"]?.endpoint_url ?? "";
  await post(url, { id: 1 });
  const events = begin(place, "events", "followed", "-f", "--json");
  const logs = begin(place, "logs", "-f", "--json");
  onTestFinished(() => [events, logs].forEach(({ child }) => child.kill("SIGKILL")));
  await events.until(/"event":\{"id":1\}/);
  const requests = setInterval(() => void post(url, { id: Date.now() }), 500);
  onTestFinished(() => clearInterval(requests));
  await events.until(/"event":\{"id":\d{10,}\}/);
  expect(await logs.until(/"trigger":"http"/)).toBeTruthy();
});

test("an action runs from its file, and its failure fails the command", async () => {
  const made = join(folder, "greeter");
  expect((await wellspring(place, "init", "action", made)).code).toBe(0);
  const path = join(made, "component.js");
  const result = await jsonOf<object>(place, "run", path, "-p", "who=Ada");
  expect(result).toMatchObject({ ret: "Hello, Ada!", exports: { $summary: "Greeted Ada" } });
  const code = await readFile(path, "utf8");
  await writeFile(path, code.replace("return", `throw new Error("no"); return`));
  const failed = await wellspring(place, "run", path, "-p", "who=Ada");
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("Error: no")]);
});

test("a workflow is deployed under its name, run, and run again", async () => {
  const made = join(folder, "flow");
  await wellspring(place, "init", "workflow", made);
  const path = join(made, "workflow.json");
  const [first] = await jsonOf<{ id: string; version: number }[]>(
    place,
    "workflows",
    "deploy",
    path,
  );
  await writeFile(path, (await readFile(path, "utf8")).replace("Hello", "Bonjour"));
  const [second] = await jsonOf<object[]>(place, "workflows", "deploy", path);
  expect(second).toMatchObject({ id: first?.id, version: 2 });
  const event = join(folder, "visit.json");
  await writeFile(event, JSON.stringify({ body: { name: "Ada" } }));
  const run = await jsonOf<{ id: string }>(place, "workflows", "run", "flow", "-e", event);
  expect(run).toMatchObject({
    state: "succeeded",
    steps: [{ name: "greet", exports: { $return_value: "Bonjour, Ada" } }],
  });
  const { stdout } = await wellspring(place, "workflows", "runs", "flow", run.id);
  expect(stdout).toMatch(/greet {2}succeeded\n +\$return_value {2}"Bonjour, Ada"\n/);
  expect(await jsonOf(place, "workflows", "rerun", "flow", run.id)).toMatchObject({
    state: "succeeded",
    rerun_of: run.id,
  });
  expect(await jsonOf(place, "workflows", "runs", "flow")).toHaveLength(2);
  expect(await jsonOf(place, "workflows", "pause", "flow")).toMatchObject({ active: false });
  expect(await jsonOf(place, "workflows", "resume", "flow")).toMatchObject({ active: true });
  expect(await jsonOf(place, "workflows", "delete", "flow")).toMatchObject({ id: first?.id });
  expect(await jsonOf(place, "list", "workflows")).toEqual([]);
});

test("a component is published and found, and an account connected by credentials and listed", async () => {
  await cp(ORDERS, join(folder, "published.js"));
  await jsonOf(place, "registry", "publish", "published.js", "--license", "MIT");
  const published = { key: "example-orders", type: "source", license: "MIT" };
  expect(await jsonOf(place, "list", "published")).toMatchObject([published]);
  await fetch(`${new URL(platform.url).origin}/admin/registry`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.adminToken}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ component_code: await readFile(ORDERS, "utf8"), license: "MIT" }),
  });
  expect(await jsonOf(place, "registry", "search", "orders")).toMatchObject([published]);
  await writeFile(join(folder, "credentials.json"), JSON.stringify({ api_key: "k" }));
  const connect = ["accounts", "connect", "acme", "--name", "mine", "-c", "credentials.json"];
  const { id } = await jsonOf<{ id: string }>(place, ...connect);
  expect(await jsonOf(place, "accounts", "list", "--app", "acme")).toMatchObject([
    { id, app: "acme", name: "mine" },
  ]);
  await jsonOf(place, "accounts", "delete", id);
  expect(await jsonOf(place, "accounts", "list", "--app", "acme")).toEqual([]);
  await jsonOf(place, "registry", "unpublish", "example-orders", "0.0.1");
  expect(await jsonOf(place, "list", "published")).toEqual([]);
});

test("a new app has a source that sends its account's credentials, and a test", async () => {
  const { origin, close: closeApi } = await serve(({ headers }, response) =>
    response.end(JSON.stringify([{ id: 1, name: headers.authorization }])),
  );
  onTestFinished(closeApi);
  const made = join(folder, "desk");
  const { stdout } = await wellspring(place, "init", "app", "desk");
  expect(stdout).toContain("npx wellspring accounts connect desk --credentials FILE\n");
  expect(await runTests(made)).toMatch(/pass 1\n/);

  const credentials = join(folder, "desk.json");
  await writeFile(credentials, JSON.stringify({ base_url: origin, api_key: "secret" }));
  const connect = ["accounts", "connect", "desk", "--credentials", credentials];
  const account = await jsonOf<{ id: string }>(place, ...connect);
  const component = join(made, "component.js");
  const { id } = await jsonOf<CliSource>(place, "deploy", component, "-p", `app=${account.id}`);
  await expect
    .poll(async () => (await wellspring(place, "events", id)).stdout, { timeout: 20_000 })
    .toContain("emit     Bearer secret");
  await wellspring(place, "delete", id);
});

test("import publishes a collection, and fails because of a rejected component", async () => {
  const collection = join(folder, "collection/components/shop");
  for (const name of ["good", "bad"])
    await mkdir(join(collection, "sources", name), { recursive: true });
  const good = (await readFile(ORDERS, "utf8")).replace("example-orders", "shop-good");
  await writeFile(join(collection, "sources/good/good.js"), good);
  await writeFile(
    join(collection, "sources/bad/bad.js"),
    `export default { key: "bad", version: "`,
  );
  const { code, stdout } = await wellspring(place, "registry", "import", "collection", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    state: "ended",
    items: [{ path: "components/shop/sources/bad/bad.js" }],
  });
});

test.for([
  ["an unknown command", ["dpeloy", "x"], /Did you mean deploy/],
  ["a missing argument", ["deploy"], /missing required argument/],
  ["a missing file", ["deploy", "no/such.js"], /There is no file no\/such.js/],
  ["an unknown kind", ["list", "sauces"], /name one of sources, workflows/],
  [
    "a replay of a source",
    ["replay", "dc_1"],
    /replay takes the id of a webhook, or a source and the id of an event, not dc_1/,
  ],
  ["a deployed action", ["deploy", ACTION], /is an action; run it: wellspring run/],
  [
    "an unknown prop",
    ["deploy", ORDERS, "-p", "nix=1"],
    /There is no prop nix; the props are http/,
  ],
] as const)("%s is a wrong call", async ([, args, message]) => {
  const { code, stderr } = await wellspring(place, ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test("an unknown app cannot be connected in the browser, and the error names the way", async () => {
  const { code, stderr } = await wellspring(place, "accounts", "connect", "helpdesk");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/no app helpdesk.*--credentials FILE/)]);
});

test("the output has no colour without a terminal, nor in CI", async () => {
  const env = { ...place.env, WELLSPRING_URL: "http://127.0.0.1:9", CI: "true", NO_COLOR: "" };
  const { stderr } = await wellspring({ ...place, env }, "list");
  expect(stderr).toMatch(/^error: No platform responds/);
});

test("an unreachable platform causes an error with the next step", async () => {
  const env = { ...place.env, WELLSPRING_URL: "http://127.0.0.1:9" };
  const { code, stderr } = await wellspring({ ...place, env }, "list");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: No platform responds at http:\/\/127\.0\.0\.1:9; start a platform/,
  );
});
