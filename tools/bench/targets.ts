import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import {
  type Caller,
  call,
  type DeployedSource,
  deploy,
  endpointOf,
  eventsOf,
} from "../scripts/api.ts";
import { freePort } from "../scripts/local/ports.ts";
import {
  endings,
  type RunningPlatform,
  spawnScript,
  startPlatform,
  untilReady,
} from "../scripts/platform.ts";
import { orderBody, post, type Target } from "./load.ts";

const SETTLE_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 20;

/** Run work with a temporary folder, which is deleted afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "wellspring-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Change the directory of a stopped platform, in the file in which D1 keeps it. */
export async function changeDirectory(
  stateDir: string,
  change: (db: DatabaseSync) => void,
): Promise<void> {
  const files = await readdir(join(stateDir, "v3/d1"), { recursive: true });
  for (const file of files.filter((name) => /\/[0-9a-f]{64}\.sqlite$/.test(name))) {
    const db = new DatabaseSync(join(stateDir, "v3/d1", file));
    change(db);
    db.close();
  }
}

/** A project that its owner calls with an API key. */
export async function newProject({ url, apiKey }: RunningPlatform): Promise<Caller> {
  const connect = `${url}/connect`;
  const response = await fetch(`${connect}/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: `{"name":"Bench"}`,
  });
  const { id }: { id: string } = JSON.parse(await response.text());
  return { url: `${connect}/${id}`, apiKey };
}

/** Run work against a new platform; `variables` are further settings of `npm start`. */
export function withPlatform<T>(
  work: (platform: RunningPlatform) => Promise<T>,
  variables: Record<string, string> = {},
): Promise<T> {
  return withFolder(async (stateDir) => {
    const platform = await startPlatform({ stateDir, variables });
    try {
      return await work(platform);
    } finally {
      await platform.stop();
    }
  });
}

/** Run work against several platforms, one for each set of variables. */
export function withPlatforms<T>(
  [first, ...rest]: readonly Record<string, string>[],
  work: (platforms: readonly RunningPlatform[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work([]);
  return withPlatform(
    (platform) => withPlatforms(rest, (platforms) => work([platform, ...platforms])),
    first,
  );
}

/** Run work against the floor: a Worker that only stores a body and responds. */
export function withFloor<T>(work: (floor: Target) => Promise<T>): Promise<T> {
  // It responds once the row is stored: no work is pending.
  return withWorker("floor", (url) => work({ name: "floor", url, settled: async () => {} }));
}

/** Run work against a Worker of ours that a script in a folder here serves. */
export function withWorker<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  return withFolder(async (stateDir) => {
    const port = await freePort();
    const script = join(import.meta.dirname, folder, "serve.ts");
    const child = spawnScript(script, { PORT: String(port), STATE_DIR: stateDir });
    await untilReady(child);
    try {
      return await work(`http://127.0.0.1:${port}/`);
    } finally {
      await endings(child).kill();
    }
  });
}

/** The code of one of the components in bench/components. */
export function componentCode(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, `components/${name}.js`), "utf8");
}

/** Deploy one of the components as a load target. */
export async function sourceTarget(caller: Caller, name: string, shards = 1): Promise<Target> {
  const component_code = await componentCode(name);
  // Releases before this one know no shards.
  const fields = { component_code, ...(shards > 1 && { shards }) };
  const source = await call<DeployedSource>(caller, "/sources", fields);
  const url = endpointOf(source);
  // They go to random shards: of so many, each gets one but for one of 10,000 times.
  const lasts = shards === 1 ? 1 : shards * 12;
  return { name, url, settled: () => untilIdle(caller, source, { url, lasts }) };
}

/** Send some more events and wait for their emission: they queue behind all the others. */
async function untilIdle(
  caller: Caller,
  source: DeployedSource,
  { url, lasts }: { url: string; lasts: number },
): Promise<void> {
  const ids = Array.from({ length: lasts }, () => `last-${randomUUID()}`);
  await Promise.all(ids.map((id) => post(url, orderBody(id))));
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  const areEmitted = async (): Promise<boolean> => {
    const emitted = new Set(await emittedIds(caller, source));
    return ids.every((id) => emitted.has(id));
  };
  while (!(await areEmitted())) {
    if (Date.now() > deadline) throw new Error(`Source ${source.id} did not become idle`);
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

/** Post a hundred events and check that the source's last hundred are exactly these. */
export async function verifyHundred(caller: Caller, name: string): Promise<void> {
  const source = await deploy(caller, await componentCode(name));
  const url = endpointOf(source);
  const sent = Array.from({ length: 100 }, () => randomUUID());
  await Promise.all(sent.map((id) => post(url, orderBody(id))));
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const found = new Set(await emittedIds(caller, source));
    if (found.size === 100 && sent.every((id) => found.has(id))) return;
    if (Date.now() > deadline) throw new Error(`${found.size} of 100 events of ${name} were found`);
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

async function emittedIds(caller: Caller, source: DeployedSource): Promise<string[]> {
  return (await eventsOf(caller, source)).map(({ event }) => String(event["id"]));
}
