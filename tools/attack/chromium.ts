import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";

import { unpackTar } from "modern-tar/fs";

const START_TIMEOUT_MS = 40_000;
const COMMAND_TIMEOUT_MS = 20_000;

/** As anybody's browser is, with every protection that it has by default; root has no sandbox of the system. */
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"];

/** A browser that was started for one attack. */
export type Browser = {
  /** Open a URL in a new tab and wait until it has loaded. */
  open: (url: string) => Promise<Tab>;
  close: () => Promise<void>;
};

/** A tab whose page can be asked. */
type Tab = {
  /** Run an expression in the page and wait for its result, which is JSON. Throws what the page throws. */
  evaluate: (expression: string) => Promise<Result>;
};

/** Start the Chromium that comes with the dev dependencies, with a profile of its own. */
export async function startBrowser(): Promise<Browser> {
  const dir = await mkdtemp(join(tmpdir(), "wellspring-browser-"));
  const child = await launch(dir);
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    // Its last processes still write for a moment.
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    const protocol = await connected(await address(join(dir, "profile/DevToolsActivePort")));
    return { open: (url) => openTab(protocol, url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function launch(dir: string): Promise<ChildProcess> {
  const path = await unpacked(dir);
  const profile = ["--remote-debugging-port=0", `--user-data-dir=${join(dir, "profile")}`];
  // After those of the system: they are for machines that have none.
  const libraries = [process.env["LD_LIBRARY_PATH"] ?? "/usr/lib", join(dir, "lib")].join(":");
  const env = { ...process.env, LD_LIBRARY_PATH: libraries, HOME: dir };
  return spawn(path, [...ARGUMENTS, ...profile, "about:blank"], { env, stdio: "ignore" });
}

/** The package holds its files compressed, and unpacks them for one kind of machine only. */
async function unpacked(dir: string): Promise<string> {
  const bin = join(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "../../bin");
  const path = join(dir, "chromium");
  await Promise.all([
    pipeline(
      createReadStream(join(bin, "chromium.br")),
      createBrotliDecompress(),
      createWriteStream(path, { mode: 0o700 }),
    ),
    pipeline(
      createReadStream(join(bin, "al2023.tar.br")),
      createBrotliDecompress(),
      unpackTar(dir),
    ),
  ]);
  return path;
}

async function address(file: string): Promise<string> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const [port, path] = (await readFile(file, "utf8").catch(() => "")).split("\n");
    if (port && path) return `ws://127.0.0.1:${port}${path}`;
    if (performance.now() > deadline) throw new Error("The browser does not start");
    await wait(50);
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- each command has a result of its own.
type Result = any;
type Answer = { id?: number; result?: Result; error?: { message: string } };
type Command = (method: string, params?: object, sessionId?: string) => Promise<Result>;

/** The Chrome DevTools Protocol over one connection. */
async function connected(url: string): Promise<Command> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const answer: Answer = JSON.parse(String(data));
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  await once(socket, "open");
  let id = 0;
  return async (method, params = {}, sessionId) => {
    id += 1;
    const message = { id, method, params, ...(sessionId && { sessionId }) };
    const answer = await new Promise<Answer>((done, fail) => {
      setTimeout(() => fail(new Error(`${method} takes for ever`)), COMMAND_TIMEOUT_MS).unref();
      waiting.set(message.id, done);
      socket.send(JSON.stringify(message));
    });
    waiting.delete(message.id);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
}

async function openTab(command: Command, url: string): Promise<Tab> {
  const { targetId } = await command("Target.createTarget", { url });
  const { sessionId } = await command("Target.attachToTarget", { targetId, flatten: true });
  const evaluate = async (expression: string): Promise<Result> => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await command("Runtime.evaluate", params, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? "It threw");
    return result.value;
  };
  const isLoaded = `document.readyState === "complete" && location.href !== "about:blank"`;
  const deadline = performance.now() + COMMAND_TIMEOUT_MS;
  while (!(await evaluate(isLoaded).catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${url} does not load`);
    await wait(100);
  }
  return { evaluate };
}
