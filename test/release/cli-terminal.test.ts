import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
// oxlint-disable-next-line wellspring/no-sleep -- Keys that arrive together would be one, and not every key shows.
import { setTimeout as wait } from "node:timers/promises";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { begin, type CliPlace, type CliSource, jsonOf, openPlace, post } from "../support/cli.ts";

/** Replaces pipes by a terminal: no package installed with npm alone has a real one. */
const TERMINAL = `
  for (const stream of [process.stdin, process.stdout]) stream.isTTY = true;
  Object.assign(process.stdin, { setRawMode: () => process.stdin });
  Object.assign(process.stdout, { columns: 120, rows: 40 });`;

const ENTER = "\r";

let folder: string;
let place: CliPlace;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await openPlace();
  ({ folder, close } = opened);
  const env = {
    ...opened.place.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TERMINAL)}`,
    // The commands prompt a person, but not CI.
    CI: "",
    NO_COLOR: "1",
    PATH: [await browserIn(folder), process.env["PATH"]].join(delimiter),
  };
  place = { ...opened.place, env };
});

afterAll(() => close());

/** A folder with commands that record each URL instead of opening a browser. */
async function browserIn(parent: string): Promise<string> {
  const bin = join(parent, "bin");
  await mkdir(bin);
  for (const name of ["xdg-open", "open"]) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$1" >> ${JSON.stringify(opened(parent))}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

const opened = (parent: string): string => join(parent, "opened.txt");

/** A component that prompts for its props, and loads one list of choices. */
async function component(): Promise<string> {
  const path = join(await mkdtemp(join(folder, "component-")), "colours.js");
  await writeFile(
    path,
    `export default {
  name: "Colours", version: "0.0.1",
  props: {
    http: "$.interface.http",
    colour: { type: "string", async options() { return ["red", "green", "blue"]; } },
    loud: { type: "boolean" },
    count: { type: "integer" },
  },
  run({ body }) {
    this.$emit({ ...body, colour: this.colour, loud: this.loud, count: this.count }, { summary: this.colour });
  },
};
`,
  );
  return path;
}

test("dev prompts for props on a terminal, and reacts to its keys", async () => {
  const running = begin(place, "dev", await component(), "--name", "asked");
  onTestFinished(() => void running.child.kill("SIGKILL"));
  const { stdin } = running.child;
  const type = async (keys: string): Promise<void> => {
    for (const key of keys) {
      stdin.write(key);
      // Keys that arrive together would be one, and not every key shows.
      await wait(30);
    }
  };
  await running.until(/colour/);
  await running.until(/green/);
  await type("blu");
  await type(ENTER);
  await running.until(/loud/);
  await type("y");
  await running.until(/count/);
  await type("many");
  await type(ENTER);
  await running.until(/count is an integer, not "many"/);
  await type("\u007F".repeat(4));
  await type(`3${ENTER}`);

  const endpoint = (await running.until(/http:\S+\/e\/[\w-]+/)).trim();
  await running.until(/r run again · e last event as JSON · o console · q quit/);
  await running.until(/waiting for events/);
  await type("e");
  await running.until(/no event was emitted yet/);
  await post(endpoint, { n: 1 });
  await running.until(/emit +blue/);
  await type("e");
  await running.until(/"colour": "blue",\s+"loud": true,\s+"count": 3/);
  await type("r");
  await running.until(/(?:emit +blue[^]*){2}/);
  await type("o");
  const page = await running.until(/http:\S+\/(?:docs|console\S*)/);
  await expect.poll(() => readFile(opened(folder), "utf8").catch(() => "")).toBe(`${page}\n`);
  await type("q");
  const [code] = await once(running.child, "close");
  expect(code).toBe(0);
  const left = await jsonOf<CliSource[]>({ ...place, env: { ...place.env, CI: "true" } }, "list");
  expect(left.filter(({ name }) => name === "asked")).toMatchObject([{ active: false }]);
});
