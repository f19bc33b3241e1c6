import call from "../../worker-templates/call.worker.js";
import consoleOfCall from "../../worker-templates/console.worker.js";
import context from "../../worker-templates/context.worker.js";
import dataStore from "../../worker-templates/data-store.worker.js";
import definition from "../../worker-templates/definition.worker.js";
import environment from "../../worker-templates/environment.worker.js";
import failure from "../../worker-templates/failure.worker.js";
import fileCharges from "../../worker-templates/file-charges.worker.js";
import filesOfRun from "../../worker-templates/files.worker.js";
import harness from "../../worker-templates/harness.worker.js";
import httpRequest from "../../worker-templates/http-request.worker.js";
import instance from "../../worker-templates/instance.worker.js";
import nodeFsPromises from "../../worker-templates/node-fs-promises.worker.js";
import nodeFs from "../../worker-templates/node-fs.worker.js";
import props from "../../worker-templates/props.worker.js";
import questions from "../../worker-templates/questions.worker.js";
import respond from "../../worker-templates/respond.worker.js";
import folderOfRun from "../../worker-templates/run-folder.worker.js";
import serviceDb from "../../worker-templates/service-db.worker.js";
import step from "../../worker-templates/step.worker.js";
import table from "../../worker-templates/table.worker.js";
import uncaught from "../../worker-templates/uncaught.worker.js";
import type { OwnerId } from "../domain/ids.ts";
import type { Bundle, UserCode } from "./user-code.ts";

export const COMPATIBILITY_DATE = "2026-10-01";
export const COMPATIBILITY_FLAGS = ["nodejs_compat"];
export const MAIN_MODULE = "harness.worker.js";

/** What one invocation may cost by its owner's plan. Enforced on Cloudflare; a local workerd ignores it. */
const LIMITS = {
  free: { cpuMs: 10_000, subRequests: 200 },
  paid: { cpuMs: 30_000, subRequests: 1000 },
  legacy: { cpuMs: 30_000, subRequests: 1000 },
};

export type Plan = keyof typeof LIMITS;

/** What one invocation may cost. What was deployed before plans were known goes by the larger one. */
export function limitsOf(plan: Plan = "paid"): (typeof LIMITS)[Plan] {
  return LIMITS[plan];
}

export const HARNESS = {
  "harness.worker.js": harness,
  "node-fs.worker.js": nodeFs,
  "node-fs-promises.worker.js": nodeFsPromises,
  "files.worker.js": filesOfRun,
  "file-charges.worker.js": fileCharges,
  "run-folder.worker.js": folderOfRun,
  "call.worker.js": call,
  "data-store.worker.js": dataStore,
  "console.worker.js": consoleOfCall,
  "context.worker.js": context,
  "definition.worker.js": definition,
  "environment.worker.js": environment,
  "failure.worker.js": failure,
  "http-request.worker.js": httpRequest,
  "instance.worker.js": instance,
  "props.worker.js": props,
  "questions.worker.js": questions,
  "respond.worker.js": respond,
  "service-db.worker.js": serviceDb,
  "step.worker.js": step,
  "table.worker.js": table,
  "uncaught.worker.js": uncaught,
};

export type IsolateModule = string | { js: string } | { wasm: ArrayBuffer };

/** Which code, for whom, and the one way out to the network; and the expressions of a step, where it has any. */
export type Tenant = {
  owner: OwnerId;
  bundleHash: string;
  egress: Fetcher;
  expressions?: { hash: string; code: string } | undefined;
  plan?: Plan | undefined;
};

/**
 * Open a bundle in an isolate of its own through the Worker Loader. Sources of one owner on one bundle share the
 * isolate; two owners never do. `bundle` is asked only when no warm isolate is there.
 */
export function loadUserCode(
  loader: WorkerLoader,
  { owner, bundleHash, egress, plan, expressions }: Tenant,
  bundle: () => Promise<Bundle>,
): UserCode {
  const limits = limitsOf(plan);
  // A warm isolate keeps the limits that it was loaded with.
  const parts = [owner, bundleHash, limits.cpuMs, limits.subRequests, expressions?.hash ?? ""];
  const name = parts.join(":");
  const worker = loader.get(name, async () => ({
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    mainModule: MAIN_MODULE,
    modules: isolateModules(await bundle(), expressions?.code),
    env: {},
    globalOutbound: egress,
    limits,
  }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the harness is ours; its default export is this.
  return worker.getEntrypoint() as unknown as UserCode;
}

/** Everything that an isolate of user code is made of, by its name. */
export function isolateModules(
  bundle: Bundle,
  expressions = "export default {};",
): Record<string, IsolateModule> {
  return { ...HARNESS, "expressions.js": expressions, ...modulesOf(bundle) };
}

/** A bundle as the modules of an isolate. */
export function modulesOf({
  code,
  dependencies,
}: Bundle): Record<string, string | { wasm: ArrayBuffer }> {
  const packages = Object.entries(dependencies.modules).map(([name, text]) => [
    name,
    name.endsWith(".wasm") ? { wasm: Uint8Array.fromBase64(text).buffer } : text,
  ]);
  return { ...Object.fromEntries(packages), "component.js": code };
}
