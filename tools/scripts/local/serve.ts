import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from "miniflare";

import { ASSETS } from "../assets/part.ts";
import type { Build, Builds } from "./build.ts";
import { BundlerProcess } from "./bundler-process.ts";
import { ConfinedCode } from "./confined.ts";
import { diskService } from "./disk.ts";
import { INNER_HOST } from "./inner-host.ts";
import { type LifecycleAddress, lifecycleOptions, newLifecycleAddress } from "./lifecycle.ts";
import { log } from "./log.ts";
import { machineService } from "./machine.ts";
import { offPrivateNetworks } from "./network.ts";
import { closeRpc } from "./private-rpc.ts";
import { Sandboxes } from "./sandboxes.ts";
import type { Settings } from "./settings.ts";

const NAME = "wellspring";

/** The settings of the bundler's Worker. */
export const BUNDLER_VARIABLES = new Set([
  "NPM_REGISTRY_URL",
  "NPM_TOKEN",
  "ALLOW_PRIVATE_TARGETS",
]);

/**
 * V8's flags, in the form of `MINIFLARE_WORKERD_V8_FLAGS`: megabytes of old objects at which V8 first collects garbage in an
 * isolate. By default V8 scales it with the machine's memory: dozens of isolates would each keep tens of megabytes.
 */
export const V8_FLAGS = "--initial-old-space-size=4";

/** Serves the static assets. With the platform's own, Miniflare would send each request through two more Workers. */
const ASSET_WORKER = {
  name: "wellspring-assets",
  modules: [{ type: "ESModule", path: "assets.js", contents: "export default {};" }],
  compatibilityDate: "2026-10-01",
  assets: { directory: ASSETS, routerConfig: { has_user_worker: false } },
} satisfies V4WorkerOptions;

/** The settings of a sandbox process. */
const SANDBOX_VARIABLES = new Set([
  "PUBLIC_URL",
  "EVENTS_URL",
  "ALLOW_PRIVATE_TARGETS",
  "EGRESS_GATEWAY_URL",
]);

/** A runtime, and the processes that bundle and run users' code. */
export type Served = {
  miniflare: Miniflare;
  bundler: BundlerProcess;
  sandboxes: Sandboxes | undefined;
  /** The address for sweeping, recovering and draining it. */
  lifecycle: LifecycleAddress;
};

/**
 * Serve builds on Cloudflare's runtime, at `port` and with their storage in the state folder, and users' code in
 * separate processes if the settings have any. Clients reach it through a front.
 */
export async function serve(
  { platform, bundler, sandbox }: Omit<Builds, "sandbox"> & Partial<Builds>,
  settings: Settings,
): Promise<Served> {
  const { stateDir, variables } = settings;
  closeRpc();
  const [sandboxes, bundling] = await Promise.all([
    startSandboxes(sandbox, settings),
    startBundler(bundler, variables),
  ]);
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= V8_FLAGS;
  const lifecycle = await newLifecycleAddress();
  const processes = { sandboxes, bundler: bundling, lifecycle };
  const workers = [await platformWorker(platform, settings, processes), ASSET_WORKER];
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: onPermittedNetworks(workers, variables),
      host: "127.0.0.1",
      // The same path as under `wrangler dev`.
      resourcePersistencePath: join(stateDir, "v3"),
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      handleStructuredLogs: (entry) => log.runtime(entry),
    }),
  );
  await miniflare.ready;
  return { miniflare, ...processes };
}

/** The platform's Worker, with its access to the processes beside it. */
async function platformWorker(
  build: Build,
  { url, port, stateDir, variables }: Settings,
  { sandboxes, bundler, lifecycle }: Omit<Served, "miniflare">,
): Promise<V4WorkerOptions> {
  const own = await workerOf(NAME, build, variables);
  const contained = sandboxes?.bindings() ?? {};
  const bundled = bundler.bindings();
  const operated = lifecycleOptions(lifecycle);
  return {
    ...own,
    // As on Cloudflare, requests that leave name the platform's host in `cf-worker`, not one of an example.
    zone: new URL(variables["PUBLIC_URL"] ?? url).hostname,
    bindings: { ...own.bindings, ...contained.bindings, ...operated.bindings },
    serviceBindings: {
      ...own.serviceBindings,
      ...contained.serviceBindings,
      ...bundled.serviceBindings,
      DISK: diskService(stateDir),
      MACHINE: machineService(stateDir, bundler),
      ASSETS: ASSET_WORKER.name,
    },
    unsafeDirectSockets: [
      // Past Miniflare's entry, which would obey headers and serve its own paths to any client, and delays each request.
      { host: INNER_HOST, port },
      operated.socket,
      ...(contained.unsafeDirectSockets ?? []),
      ...(bundled.unsafeDirectSockets ?? []),
    ],
  };
}

function onPermittedNetworks(
  workers: V4WorkerOptions[],
  variables: Settings["variables"],
): V4WorkerOptions[] {
  return variables["ALLOW_PRIVATE_TARGETS"] === "true" ? workers : offPrivateNetworks(workers);
}

async function startSandboxes(
  build: Build | undefined,
  { sandboxes: count, sandboxMemory: memoryBytes, stateDir, variables }: Settings,
): Promise<Sandboxes | undefined> {
  if (count === 0 || !build) return undefined;
  const taken = Object.entries(variables).filter(([name]) => SANDBOX_VARIABLES.has(name));
  return Sandboxes.start(build, {
    count,
    memoryBytes,
    confined: new ConfinedCode(stateDir),
    variables: { EVENTS_URL: "", EGRESS_GATEWAY_URL: "", ...Object.fromEntries(taken) },
    version: basename(dirname(build.dir)),
    onLine: (line) => log.runtime(line),
  });
}

function startBundler(build: Build, variables: Settings["variables"]): Promise<BundlerProcess> {
  const taken = Object.entries(variables).filter(([name]) => BUNDLER_VARIABLES.has(name));
  return BundlerProcess.start(build, {
    variables: Object.fromEntries(taken),
    onLine: (line) => log.runtime(line),
  });
}

/** A build as one of the Workers of a runtime. */
export async function workerOf(
  name: string,
  { dir, options }: Build,
  variables: Record<string, string>,
): Promise<V4WorkerOptions> {
  return {
    ...options,
    name,
    rootPath: dir,
    modules: await modulesIn(dir),
    bindings: { ...options.bindings, ...variables },
  };
}

async function modulesIn(dir: string) {
  const names = (await readdir(dir)).filter((name) => /\.(js|wasm)$/.test(name));
  // The main module comes first.
  return names
    .toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)))
    .map((name) => ({ type: moduleType(name), path: name }));
}

const MAINS = new Set(["index.js", "bundler-worker.js", "sandbox-worker.js"]);

function isMain(name: string): boolean {
  return MAINS.has(name);
}

function moduleType(name: string): "ESModule" | "Text" | "CompiledWasm" {
  if (name.endsWith(".wasm")) return "CompiledWasm";
  return name.endsWith(".worker.js") ? "Text" : "ESModule";
}
