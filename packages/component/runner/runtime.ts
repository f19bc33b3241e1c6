import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { Order } from "../driver/main.ts";
import { configOf } from "./config.ts";

/** The contents of the package: the harness in `harness/`, the driver in `driver/`. */
const BROUGHT = fileURLToPath(new URL(".", import.meta.url).href);

/** The program of the runtime. Loaded by `require`, because test runners differ in default imports of CommonJS. */
const { default: WORKERD }: { default: string } = createRequire(import.meta.url)("workerd");

/** Time after its deadline at which a component without a result is in an endless loop. */
const GRACE_MS = 3000;

/** A runtime for one run of a component. */
export type Runtime = {
  /** Send an order to the driver. Throws if the runtime ends or times out. */
  send: <T>(order: Order) => Promise<T>;
  close: () => Promise<void>;
};

/** The options of a runtime. `now`: epoch milliseconds; undefined: the clock runs. `deadlineMs`: of each call. */
export type RuntimeTerms = {
  code: string;
  now: number | undefined;
  testAddress: string;
  deadlineMs: number;
};

/** Start a runtime of its own for a component. */
export async function startRuntime({
  code,
  now,
  testAddress,
  deadlineMs,
}: RuntimeTerms): Promise<Runtime> {
  const folder = await mkdtemp(join(tmpdir(), "component-test-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const own = { "component.js": code, "now.js": `export default ${now};`, ...NO_EXPRESSIONS };
    for (const [name, text] of Object.entries(own)) await writeFile(join(folder, name), text);
    const config = configOf({ ...(await modules(Object.keys(own))), testAddress });
    await writeFile(join(folder, "config.capnp"), config);
    return await running(folder, { remove, deadlineMs });
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The module of a step's expressions, which is empty for a component under test. */
const NO_EXPRESSIONS = { "expressions.js": "export default {};" };

async function modules(own: readonly string[]) {
  const harness = await readdir(join(BROUGHT, "harness"));
  const named = harness.map((name) => ({ name, file: `/harness/${name}` }));
  const main = ["main.js", "clock.js"].map((name) => ({ name, file: `/driver/${name}` }));
  return {
    driver: [{ name: "driver.js", file: "/driver/driver.js" }],
    component: [...main, ...named, ...own.map((name) => ({ name, file: name }))],
  };
}

type RunTerms = { remove: () => Promise<void>; deadlineMs: number };

async function running(folder: string, { remove, deadlineMs }: RunTerms): Promise<Runtime> {
  const args = ["serve", "--control-fd=3", `-I${BROUGHT}`, join(folder, "config.capnp")];
  const child = spawn(WORKERD, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const output: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void output.push(text));
  const ended = endOf(child, output);
  const port = await Promise.race([portOf(child), ended]).catch((error: unknown) => {
    end();
    throw error;
  });
  return {
    send: <T>(order: Order) => Promise.race([sendOrder<T>(port, order, deadlineMs), ended]),
    close: async () => {
      process.off("exit", end);
      end();
      await ended.catch(() => {});
      await remove();
    },
  };
}

/** Rejects when the runtime ends, with its output. */
async function endOf(child: ChildProcess, output: readonly string[]): Promise<never> {
  await once(child, "close");
  throw new Error(`The runtime ended: ${output.join("").trim()}`);
}

/** The driver's port, from the report of the runtime. */
async function portOf({ stdio }: ChildProcess): Promise<number> {
  const control = stdio[3];
  if (!control || !("read" in control)) throw new Error("The runtime has no control channel");
  for await (const line of createInterface({ input: control })) {
    const { event, port }: { event?: string; port?: number } = JSON.parse(line);
    if (event === "listen" && port !== undefined) return port;
  }
  return new Promise(() => {});
}

async function sendOrder<T>(port: number, order: Order, deadlineMs: number): Promise<T> {
  const signal = AbortSignal.timeout(deadlineMs + GRACE_MS);
  const body = JSON.stringify(order);
  const sent = fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, signal });
  const response = await sent.catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new Error(`timeoutMs: the component did not end within ${deadlineMs} ms`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The runtime failed: ${text}`);
  return JSON.parse(text);
}
