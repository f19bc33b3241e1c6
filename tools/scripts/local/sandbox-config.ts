import { readdir } from "node:fs/promises";

import { GATE_CODE, PUBLIC_NETWORK } from "./network.ts";
import { RPC_HOST } from "./private-rpc.ts";

/** The configuration of a sandbox process. */
export type SandboxConfig = {
  /** Name of the folder of its modules, beside the configuration. */
  modules: string;
  /** The port that it listens on, and the platform's port for sandbox processes alone. */
  port: number;
  platformPort: number;
  variables: Record<string, string>;
  /** The name of the build, like a deployment's version. */
  version: string;
  allowPrivate: boolean;
  compatibility: { date: string; flags: readonly string[] };
};

const MAIN = "sandbox-worker.js";

const V8_FLAGS = [
  "--initial-old-space-size=4",
  // The maximum megabytes of one isolate before its process ends, as Cloudflare's do at 128.
  "--max-old-space-size=512",
  // The name of its global in each isolate. The harness removes it from users' code.
  "--expose-gc-as=collectGarbage",
  // The megabytes of new objects at which V8 collects garbage among them.
  "--max-semi-space-size=1",
];

/** The configuration of a sandbox process, in workerd's format. `folder`: the folder of its modules. */
export async function sandboxConfig(folder: string, config: SandboxConfig): Promise<string> {
  const { modules, port, platformPort, variables, version, allowPrivate, compatibility } = config;
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const ordered = [MAIN, ...names.filter((name) => name !== MAIN)];
  const bindings = [
    `(name = "LOADER", workerLoader = ())`,
    `(name = "PLATFORM", service = "platform")`,
    `(name = "VERSION", json = ${quoted(JSON.stringify({ id: version }))})`,
    ...(allowPrivate ? [] : [`(name = "OPERATOR_NETWORK", service = "open")`]),
    ...Object.entries(variables).map(
      ([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`,
    ),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "sandbox", worker = (
      modules = [${ordered.map((name) => moduleOf(modules, name)).join(", ")}],
      compatibilityDate = ${quoted(compatibility.date)},
      compatibilityFlags = [${compatibility.flags.map(quoted).join(", ")}],
      bindings = [${bindings.join(", ")}],
      globalOutbound = "${allowPrivate ? "open" : "gate"}",
    )),
    (name = "platform", external = (
      address = "127.0.0.1:${platformPort}",
      http = (capnpConnectHost = "${RPC_HOST}"),
    )),
    (name = "gate", worker = (
      modules = [(name = "network.js", esModule = ${quoted(GATE_CODE)})],
      compatibilityDate = ${quoted(compatibility.date)},
      bindings = [(name = "PUBLIC", service = "public")],
    )),
    (name = "open", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "public", network = (
      allow = ["public"],
      deny = [${PUBLIC_NETWORK.deny.map(quoted).join(", ")}],
      tlsOptions = (trustBrowserCas = true),
    )),
  ],
  sockets = [(
    name = "rpc",
    address = "127.0.0.1:${port}",
    http = (capnpConnectHost = "${RPC_HOST}"),
    service = (name = "sandbox", entrypoint = "Sandbox"),
  )],
  v8Flags = [${V8_FLAGS.map(quoted).join(", ")}],
  logging = (structuredLogging = true),
);
`;
}

function moduleOf(folder: string, name: string): string {
  const kind = name.endsWith(".worker.js") ? "text" : "esModule";
  return `(name = ${quoted(name)}, ${kind} = embed ${quoted(`${folder}/${name}`)})`;
}

/** Text in Cap'n Proto's syntax. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
