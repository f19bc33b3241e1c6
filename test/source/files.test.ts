// @suites release, dispatch, sandbox

import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { deploy, eventsOf, send, sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

const IMPORTS = `
  import fs, { writeFileSync } from "./node-fs.worker.js";
  import { writeFile as write, appendFile } from "./node-fs-promises.worker.js";
  import { Readable } from "node:stream";
  import { pipeline } from "node:stream/promises";
  const done = (start) => new Promise((resolve, reject) => start((error, value) => error ? reject(error) : resolve(value)));
  const all = async (stream) => Buffer.concat(await stream.toArray()).toString();`;

function component(body: string, props = ""): string {
  return `${IMPORTS} export default { props: { http: "$.interface.http", ${props} },
    async run({ body }) { this.$emit(await (async () => { ${body} })()); } }`;
}

async function emitted(body: string): Promise<unknown> {
  const { stub, url } = await deploy(component(body));
  await sendJson(url, {});
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  return (await eventsOf(stub))[0]?.event;
}

/** Each writes `data` to /tmp/f with another function. */
const WAYS: [string, string][] = [
  ["writeFileSync", `fs.writeFileSync("/tmp/f", data)`],
  ["writeFileSync by name", `writeFileSync("/tmp/f", data)`],
  ["writeFileSync to a URL", `fs.writeFileSync(new URL("file:///tmp/f"), data)`],
  ["writeFileSync to a Buffer", `fs.writeFileSync(Buffer.from("/tmp/f"), data)`],
  ["writeFileSync from elsewhere", `fs.writeFileSync("/tmp/x/.././f", data)`],
  ["writeFile", `await done((end) => fs.writeFile("/tmp/f", data, end))`],
  ["promises.writeFile", `await fs.promises.writeFile("/tmp/f", data)`],
  ["promises.writeFile by name", `await write("/tmp/f", data)`],
  ["promises.writeFile of a stream", `await write("/tmp/f", Readable.from([data]))`],
  ["appendFileSync", `fs.appendFileSync("/tmp/f", data)`],
  ["appendFile", `await done((end) => fs.appendFile("/tmp/f", data, end))`],
  ["promises.appendFile", `await appendFile("/tmp/f", data)`],
  [
    "createWriteStream",
    `await done((end) => { const out = fs.createWriteStream("/tmp/f");
     out.on("error", end); out.on("finish", () => end()); out.write(data); out.end(); })`,
  ],
  ["new WriteStream", `await pipeline(Readable.from([data]), new fs.WriteStream("/tmp/f"))`],
  ["a pipeline", `await pipeline(Readable.from([data]), fs.createWriteStream("/tmp/f"))`],
  ["writeSync", `const fd = fs.openSync("/tmp/f", "w"); fs.writeSync(fd, data); fs.closeSync(fd)`],
  [
    "write",
    `const fd = fs.openSync("/tmp/f", "w"); await done((end) => fs.write(fd, Buffer.from(data), end)); fs.closeSync(fd)`,
  ],
  [
    "writevSync",
    `const fd = fs.openSync("/tmp/f", "w"); fs.writevSync(fd, [Buffer.from(data)]); fs.closeSync(fd)`,
  ],
  [
    "a file handle",
    `const file = await fs.promises.open("/tmp/f", "w"); await file.writeFile(data); await file.close()`,
  ],
  [
    "a file handle's write",
    `const file = await fs.promises.open("/tmp/f", "w"); await file.write(Buffer.from(data)); await file.close()`,
  ],
  [
    "a file handle's stream",
    `const file = await fs.promises.open("/tmp/f", "w"); await pipeline(Readable.from([data]), file.createWriteStream())`,
  ],
];

test.for(WAYS)("%s writes below /tmp", async ([, way]) => {
  expect(
    await emitted(`const data = "text"; ${way};
      return [fs.readFileSync("/tmp/f", "utf8"), await all(fs.createReadStream("/tmp/f")), fs.readdirSync("/tmp")]`),
  ).toEqual(["text", "text", ["f"]]);
});

test.for([
  ...WAYS,
  [
    "copyFileSync",
    `fs.copyFileSync("/tmp/half", "/tmp/f"); fs.copyFileSync("/tmp/half", "/tmp/g")`,
  ],
  [
    "copyFile",
    `await done((end) => fs.copyFile("/tmp/half", "/tmp/f", end)); await fs.promises.copyFile("/tmp/half", "/tmp/g")`,
  ],
  ["truncateSync", `writeFileSync("/tmp/f", ""); fs.truncateSync("/tmp/f", 60 * 1024 * 1024)`],
] as [string, string][])("%s beyond 64 MB is rejected with a reason", async ([, way]) => {
  const outcome = await emitted(`
    writeFileSync("/tmp/half", Buffer.alloc(30 * 1024 * 1024));
    const data = Buffer.alloc(40 * 1024 * 1024);
    try { ${way} } catch (error) { return [error.code, error.message, fs.readFileSync("/tmp/half").length] }
    return "written"`);
  expect(outcome).toEqual([
    "ENOSPC",
    expect.stringMatching(
      /^ENOSPC: no space left on device, write '.*': \/tmp holds at most 64 MB in a run$/,
    ),
    30 * 1024 * 1024,
  ]);
});

test("deleting or overwriting a file frees its space", async () => {
  expect(
    await emitted(`
      const forty = Buffer.alloc(40 * 1024 * 1024);
      for (let n = 0; n < 3; n += 1) { writeFileSync("/tmp/a", forty); await write("/tmp/a", forty); }
      fs.unlinkSync("/tmp/a");
      await pipeline(Readable.from([forty]), fs.createWriteStream("/tmp/b"));
      fs.renameSync("/tmp/b", "/tmp/c");
      fs.rmSync("/tmp/c");
      writeFileSync("/tmp/d", forty);
      return fs.readdirSync("/tmp")`),
  ).toEqual(["d"]);
});

test("concurrent runs in one isolate each have their own /tmp", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { stub, url } = await deploy(
    component(`
      writeFileSync("/tmp/" + body.name, body.name);
      await fetch("${gate.url}", { method: "POST" });
      return fs.readdirSync("/tmp")`),
  );
  const names = ["a", "b", "c", "d"];
  const answers = names.map((name) => sendJson(url, { name }));
  await expect.poll(gate.received).toHaveLength(names.length);
  await gate.release();
  await Promise.all(answers);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(4);
  const seen = (await eventsOf(stub)).flatMap(({ event }) => event as string[]);
  expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual(names);
});

test("a run sees no files of an earlier one, even in the same call", async () => {
  const { stub, url } = await deploy(
    component(
      `const before = fs.readdirSync("/tmp"); writeFileSync("/tmp/" + body.n, ""); return before`,
      `db: "$.service.db"`,
    ),
  );
  await Promise.all(Array.from({ length: 6 }, (_, n) => sendJson(url, { n })));
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(6);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(
    Array.from({ length: 6 }, () => []),
  );
});

test("paths and errors have the component's own paths", async () => {
  expect(
    await emitted(`
      fs.mkdirSync("/tmp/one/two", { recursive: true });
      writeFileSync("/tmp/one/two/f", "x");
      const made = fs.mkdtempSync("/tmp/pre-");
      const [entry] = fs.readdirSync("/tmp/one/two", { withFileTypes: true });
      fs.symlinkSync("/tmp/one/two/f", "/tmp/link");
      const stream = fs.createReadStream("/tmp/one/two/f");
      await all(stream);
      let failure; try { fs.readFileSync("/tmp/none") } catch (error) { failure = error }
      const rejected = await fs.promises.readFile("/tmp/none").catch((error) => error.message);
      const called = await done((end) => fs.readFile("/tmp/none", end)).catch((error) => error.path);
      return { made: made.slice(0, 9), parent: entry.parentPath, real: fs.realpathSync("/tmp/link"),
        link: fs.readFileSync("/tmp/link", "utf8"), path: stream.path, exists: [fs.existsSync("/tmp/one"), fs.existsSync("/tmp/no")],
        failure: [failure.code, failure.path, failure.message], rejected, called, size: (await fs.promises.stat("/tmp/one/two/f")).size }`),
  ).toEqual({
    made: "/tmp/pre-",
    parent: "/tmp/one/two",
    real: "/tmp/one/two/f",
    link: "x",
    path: "/tmp/one/two/f",
    exists: [true, false],
    failure: ["ENOENT", "/tmp/none", expect.stringContaining("'/tmp/none'")],
    rejected: expect.stringContaining("'/tmp/none'"),
    called: "/tmp/none",
    size: 1,
  });
});

test("imports by any name and require access the files of the run", async () => {
  const ada = await signUp();
  const entry = "component.mjs";
  const component_files = {
    [entry]: `
      import fs from "fs"; import { readFile } from "node:fs/promises"; import read from "./read.cjs";
      export default { name: "Files", version: "1", props: { http: "$.interface.http" }, async run() {
        fs.writeFileSync("/tmp/f", "x");
        const { default: again } = await import("node:fs");
        this.$emit([await readFile("/tmp/f", "utf8"), read("/tmp/f"), again === fs, fs.readdirSync("/tmp")]);
      } }`,
    "read.cjs": `const { readFileSync } = require("fs"); module.exports = (path) => readFileSync(path, "utf8");`,
  };
  const saved = await ada.post("/components", { component_files, entry });
  const { body } = await ada.post("/sources", { component_id: saved.body.data.id });
  await send(body.data.configured_props.http.endpoint_url);
  const events = async () =>
    (await ada.get(`/sources/${body.data.id}/event_summaries?expand=event`)).body.data;
  await expect.poll(events).toMatchObject([{ event: ["x", "x", true, ["f"]] }]);
});
