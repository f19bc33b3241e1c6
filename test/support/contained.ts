import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { call, type DeployedSource, endpointOf } from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

export const MEGABYTE = 2 ** 20;

/** A folder for a platform's state, removed when the test ends; `atEnd`: registers the removal for another time. */
export async function newState(
  atEnd: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const stateDir = await mkdtemp(join(tmpdir(), "contained-"));
  atEnd(() => rm(stateDir, { recursive: true, force: true }));
  return stateDir;
}

/** A platform with one sandbox process, killed when the test ends. */
export async function started(
  variables: Record<string, string> = {},
  kept: { stateDir?: string; port?: number } = {},
) {
  const stateDir = kept.stateDir ?? (await newState());
  const options = { stateDir, variables: { SANDBOXES: "1", ...variables } };
  const platform = await startPlatform({ port: 0, ...kept, ...options });
  onTestFinished(platform.kill);
  return platform;
}

/** Sends an HTTP request to a source's endpoint, and resolves to the status. */
export async function send(source: DeployedSource, body: object): Promise<number> {
  const response = await fetch(endpointOf(source), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

type Summary = {
  event: Record<string, unknown> & { id?: number; error?: { code: string; message: string } };
};

/** The events of a source on a channel, newest first, at most 100. */
export async function eventsOf(
  platform: RunningPlatform,
  { id }: DeployedSource,
  channel = "",
): Promise<Summary["event"][]> {
  const path = `/sources/${id}/event_summaries?expand=event&limit=100&event_name=${channel}`;
  const summaries = await call<Summary[]>(platform, path, undefined, "GET");
  return summaries.map(({ event }) => event);
}

const PREFIX = "wellspring_sandbox_";

/** The samples of sandbox processes, by name and labels. */
export async function samplesOf({
  url,
  adminToken,
}: RunningPlatform): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${new URL(url).origin}/admin/metrics`, { headers });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith(PREFIX));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", value] = line.slice(PREFIX.length).split(" ");
      return [name, Number(value)];
    }),
  );
}
