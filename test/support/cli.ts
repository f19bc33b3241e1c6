import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { vi } from "vitest";

import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

export const ORDERS = join(import.meta.dirname, "../../examples/orders.js");

const BIN = join(import.meta.dirname, "../../packages/cli/bin/wellspring.js");

/** Node without the binaries of our dependencies: developers' versions, from 20 on. */
export const MACHINE_PATH = (process.env["PATH"] ?? "")
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .join(":");

/** The folder and the environment of the command line. */
export type CliPlace = { cwd: string; env: Record<string, string>; bin?: string };

export type CliEnd = { code: number | null; stdout: string; stderr: string };

/** Run the command line to its end. */
export async function wellspring(place: CliPlace, ...args: string[]): Promise<CliEnd> {
  const running = begin(place, ...args);
  const [code]: [number | null] = (await once(running.child, "close")) as [number | null];
  return { code, ...running.output };
}

/** The JSON output of a command. */
export async function jsonOf<T>(place: CliPlace, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await wellspring(place, ...args, "--json");
  if (code !== 0) throw new Error(`${args.join(" ")}: ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Start the command line, and collect its output. */
export function begin({ cwd, env, bin = BIN }: CliPlace, ...args: string[]) {
  return collected(
    spawn(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...env } }),
  );
}

/** Collect the output of a process. */
export function collected(child: ChildProcessWithoutNullStreams) {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  return {
    child,
    output,
    until: (text: RegExp, timeoutMs = 60_000) => until(child, output, text, timeoutMs),
  };
}

/** Wait for output that matches a pattern. Returns the match. */
async function until(
  child: ChildProcess,
  output: Omit<CliEnd, "code">,
  text: RegExp,
  timeoutMs: number,
) {
  const match = () => text.exec(output.stdout)?.[0];
  const ended = () => match() !== undefined || child.exitCode !== null;
  await vi.waitUntil(ended, { interval: 20, timeout: timeoutMs }).catch(() => undefined);
  const matched = match();
  if (matched !== undefined) return matched;
  throw new Error(`${text} was not written, but:\n${output.stdout}\n${output.stderr}`);
}

/** A platform, and a folder for calling the command line as its user; both are removed after the tests of the file. */
export async function openPlace(): Promise<{
  folder: string;
  platform: RunningPlatform;
  place: CliPlace;
  close: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  const platform = await startPlatform({ stateDir: join(folder, "state") });
  const env = {
    WELLSPRING_URL: new URL(platform.url).origin,
    WELLSPRING_API_KEY: platform.apiKey,
    WELLSPRING_HOME: join(folder, "home"),
  };
  const close = async () => {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, platform, place: { cwd: folder, env }, close };
}

/** A source in the output of the command line. */
export type CliSource = {
  id: string;
  name: string;
  active: boolean;
  configured_props: Record<string, { endpoint_url: string }>;
};

export function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
