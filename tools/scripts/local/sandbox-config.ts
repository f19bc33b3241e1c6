import { quoted, workerdConfig, type WorkerProcess } from "./workerd-config.ts";

/** The configuration of a sandbox process. `version`: the name of the build, like a deployment's version. */
export type SandboxConfig = Omit<WorkerProcess, "main" | "entrypoint" | "bindings" | "v8Flags"> & {
  version: string;
};

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
export function sandboxConfig(
  folder: string,
  { version, ...process }: SandboxConfig,
): Promise<string> {
  return workerdConfig(folder, {
    ...process,
    main: "sandbox-worker.js",
    entrypoint: "Sandbox",
    bindings: [
      `(name = "LOADER", workerLoader = ())`,
      `(name = "VERSION", json = ${quoted(JSON.stringify({ id: version }))})`,
    ],
    v8Flags: V8_FLAGS,
  });
}
