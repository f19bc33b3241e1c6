import { serveApi } from "./api.ts";
import type { FaultPlan, Faults } from "./faults.ts";
import { Namespaces } from "./namespaces.ts";

export const ACCOUNT_ID = "023e105f4ecef8ad9ca31a8372d0c353";
export const TOKEN = "a-token-that-may-edit-workers-scripts";
export const NAMESPACE = "wellspring-test";

/** The path of calls about the account. */
export const BASE = `/accounts/${ACCOUNT_ID}`;

/**
 * Serve the API reference's calls for scripts of dispatch namespaces, and reject invalid ones. Beside it, for tests:
 * `/faults/{script}` plans faults, `/outage/on` makes every call fail until `/outage/off`, `/calls/{script}` returns
 * the calls so far, and `/scripts/{namespace}/{script}` returns the script that a dispatcher runs.
 */
export async function serveCloudflare(): Promise<{ origin: string }> {
  const namespaces = new Namespaces();
  namespaces.create(NAMESPACE);
  const control = (path: string, body: Buffer, faults: Faults): unknown => {
    const [place, about = "", name = ""] = path.split("/").slice(1);
    if (place === "outage") {
      faults.isOut = about === "on";
      return null;
    }
    if (place === "calls") return faults.calls(about);
    if (place === "scripts")
      return faults.isCallable(name) ? namespaces.scriptAt(about, name) : undefined;
    return faults.set(about, JSON.parse(body.toString()) as FaultPlan);
  };
  return serveApi({ token: TOKEN, routes: namespaces.routes(BASE), control });
}
