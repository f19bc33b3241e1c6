import { readdir } from "node:fs/promises";

import { INNER_HOST, INNER_NETWORKS } from "./inner-host.ts";
import { GATE_CODE, PUBLIC_NETWORK } from "./network.ts";
import { RPC_HOST } from "./private-rpc.ts";

/** A Worker in a process of its own, beside the platform's. */
export type WorkerProcess = {
  /** Its main module, and the entrypoint that the platform calls. */
  main: string;
  entrypoint: string;
  /** Name of the folder of its modules, beside the configuration. */
  modules: string;
  /** The port that it listens on, and the platform's port for it alone. */
  port: number;
  platformPort: number;
  /** Its bindings beside its variables and PLATFORM, in workerd's format. */
  bindings: readonly string[];
  variables: Record<string, string>;
  allowPrivate: boolean;
  compatibility: { date: string; flags: readonly string[] };
  v8Flags: readonly string[];
};

/** The configuration of a process, in workerd's format. `folder`: the folder of its modules. */
export async function workerdConfig(folder: string, worker: WorkerProcess): Promise<string> {
  const { main, entrypoint, modules, port, platformPort, allowPrivate, compatibility } = worker;
  const names = (await readdir(folder)).filter((name) => /\.(js|wasm)$/.test(name));
  const ordered = [main, ...names.filter((name) => name !== main)];
  const bindings = [
    `(name = "PLATFORM", service = "platform")`,
    ...(allowPrivate ? [] : [`(name = "OPERATOR_NETWORK", service = "open")`]),
    ...worker.bindings,
    ...Object.entries(worker.variables).map(
      ([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`,
    ),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [${ordered.map((name) => moduleOf(modules, name)).join(", ")}],
      compatibilityDate = ${quoted(compatibility.date)},
      compatibilityFlags = [${flagsOf(compatibility).map(quoted).join(", ")}],
      bindings = [${bindings.join(", ")}],
      globalOutbound = "${allowPrivate ? "open" : "gate"}",
    )),
    (name = "platform", external = (
      address = "${INNER_HOST}:${platformPort}",
      http = (capnpConnectHost = "${RPC_HOST}"),
    )),
    ${networks(compatibility.date)}
  ],
  sockets = [(
    name = "rpc",
    address = "${INNER_HOST}:${port}",
    http = (capnpConnectHost = "${RPC_HOST}"),
    service = (name = "worker", entrypoint = ${quoted(entrypoint)}),
  )],
  v8Flags = [${worker.v8Flags.map(quoted).join(", ")}],
  logging = (structuredLogging = true),
);
`;
}

/** The services through which a Worker reaches the network: all of it, or its public part by way of a gate. */
function networks(date: string): string {
  return `(name = "gate", worker = (
      modules = [(name = "network.js", esModule = ${quoted(GATE_CODE)})],
      compatibilityDate = ${quoted(date)},
      bindings = [(name = "PUBLIC", service = "public")],
    )),
    (name = "open", network = (
      allow = ["public", "private"],
      deny = [${INNER_NETWORKS.map(quoted).join(", ")}],
      tlsOptions = (trustBrowserCas = true),
    )),
    (name = "public", network = (
      allow = ["public"],
      deny = [${PUBLIC_NETWORK.deny.map(quoted).join(", ")}],
      tlsOptions = (trustBrowserCas = true),
    )),`;
}

/** At today's dates this flag is the default, and workerd warns about an explicit one. */
function flagsOf({ flags }: WorkerProcess["compatibility"]): string[] {
  return flags.filter((flag) => flag !== "nodejs_compat");
}

function moduleOf(folder: string, name: string): string {
  return `(name = ${quoted(name)}, ${kindOf(name)} = embed ${quoted(`${folder}/${name}`)})`;
}

function kindOf(name: string): "esModule" | "text" | "wasm" {
  if (name.endsWith(".wasm")) return "wasm";
  return name.endsWith(".worker.js") ? "text" : "esModule";
}

/** Text in Cap'n Proto's syntax. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
