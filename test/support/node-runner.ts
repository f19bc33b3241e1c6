import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

import type { TestProject } from "vitest/node";

import { serve } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    nodeRunner: string;
  }
}

/** Node's counterparts of the isolate's own objects. */
const STAND_INS = {
  "node-fs.worker.js": "node:fs",
  "node-fs-promises.worker.js": "node:fs/promises",
  "node-http.worker.js": "node:http",
  "node-https.worker.js": "node:https",
  "node-timers.worker.js": "node:timers",
};

const RUNNER = `
  import component from "./component.js";
  // Some clients throw an error that they also report.
  process.on("uncaughtException", () => {});
  const body = JSON.parse(process.argv[2]);
  const emit = (event) => process.stdout.write(JSON.stringify(event), () => process.exit());
  await component.run.call({ $emit: emit }, { body });
`;

/** Run modules in Node: POST accepts `{modules, body}`, and returns the events of their component. */
export async function setup(project: TestProject): Promise<() => void> {
  const { origin, close } = await serve(async (request, response) => {
    const { modules, body } = JSON.parse(await text(request)) as {
      modules: Record<string, string | { cjs: string }>;
      body: object;
    };
    try {
      response.end(await emitted(modules, JSON.stringify(body)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  project.provide("nodeRunner", origin);
  return close;
}

async function emitted(
  modules: Record<string, string | { cjs: string }>,
  body: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "node-runner-"));
  const standIns = Object.entries(STAND_INS).map(([name, builtin]) => {
    return [name, `export * from "${builtin}"; export { default } from "${builtin}";`] as const;
  });
  const sloppy = readFileSync("worker-templates/sloppy.worker.js", "utf8");
  const files: Record<string, string | { cjs: string }> = {
    "sloppy.worker.js": sloppy,
    ...modules,
    ...Object.fromEntries(standIns),
    "runner.js": RUNNER,
    "package.json": '{"type":"module"}',
  };
  try {
    for (const [name, code] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), typeof code === "string" ? code : code.cjs);
    }
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [join(folder, "runner.js"), body], {
      maxBuffer: 2 ** 24,
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
