import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import type { World } from "../world.ts";
import type { Answer, Made, PythonCall } from "./call.ts";
import { PYTHON_CALLS } from "./calls.ts";
import { sendRequest } from "./request.ts";
import { mismatches } from "./shapes.ts";

/** The result of a method, and the reason of a failure. */
export type PythonResult = { method: string; error: string | undefined };

type Send = (call: PythonCall, args: Record<string, unknown>, made: Made) => Promise<Answer>;

/** Send the requests of the Python SDK ourselves, and check the answers as its models would. */
export function tryRequests(world: World): Promise<PythonResult[]> {
  const { origin } = new URL(world.platform.url);
  return tryCalls(world, "python-requests", async (call, args, made) => {
    const token = await world.client.rawAccessToken;
    const answer = await sendRequest({ origin, token, call, args, made });
    const wrong = call.answer === undefined ? [] : mismatches(answer, call.answer);
    if (wrong.length > 0) throw new Error(wrong.join("; "));
    return call.unwraps ? answer.data : answer;
  });
}

/** Whether an interpreter has the Python SDK. */
export async function hasPythonSdk(python: string): Promise<boolean> {
  try {
    await promisify(execFile)(python, ["-c", "import pipedream"]);
    return true;
  } catch {
    return false;
  }
}

/** Call the methods of the Python SDK itself. Its only address is PIPEDREAM_BASE_URL. */
export async function trySdk(world: World, python: string): Promise<PythonResult[]> {
  const { origin } = new URL(world.platform.url);
  const child = spawn(python, [join(import.meta.dirname, "sdk.py")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      PIPEDREAM_BASE_URL: origin,
      PIPEDREAM_CLIENT_ID: world.credentials.clientId,
      PIPEDREAM_CLIENT_SECRET: world.credentials.clientSecret,
      PIPEDREAM_PROJECT_ID: world.project,
      PIPEDREAM_PROJECT_ENVIRONMENT: "development",
    },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    return await tryCalls(world, "python-sdk", async ({ call }, args) => {
      child.stdin.write(`${JSON.stringify({ call, args })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("The interpreter ended");
      const { answer, error }: Answer = JSON.parse(value);
      if (error !== undefined) throw new Error(error);
      return answer;
    });
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
  }
}

async function tryCalls(world: World, user: string, send: Send): Promise<PythonResult[]> {
  const { project, shop, credentials } = world;
  const { workflow = "" } = world.made;
  const made: Made = { user, project, shop: shop.url, workflow, ...credentials };
  const results: PythonResult[] = [];
  for (const call of PYTHON_CALLS)
    results.push({ method: call.call, error: await errorOf(call, made, send) });
  return results;
}

async function errorOf(call: PythonCall, made: Made, send: Send): Promise<string | undefined> {
  const { args = () => ({}), check = () => true, made: places = {} } = call;
  try {
    const answer = await send(call, args(made), made);
    for (const [name, path] of Object.entries(places)) made[name] = textAt(answer, path);
    if (check(answer, made)) return undefined;
    return `The answer is another: ${JSON.stringify(answer).slice(0, 500)}`;
  } catch (error) {
    return String(Object(error).message ?? error).replaceAll(/\s+/g, " ");
  }
}

/** A text in an answer, or the JSON of an object there. */
function textAt(answer: Answer, path: string): string {
  const value = path.split(".").reduce((one, key) => one?.[key], answer);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
