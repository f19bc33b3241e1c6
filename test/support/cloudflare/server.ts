import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

import { Api, type ApiAnswer, type ApiCall } from "./api.ts";
import { type FaultPlan, Faults } from "./faults.ts";

export const ACCOUNT_ID = "023e105f4ecef8ad9ca31a8372d0c353";
export const TOKEN = "a-token-that-may-edit-workers-scripts";
export const NAMESPACE = "wellspring-test";

/**
 * Serve what Cloudflare's API reference says of the scripts of dispatch namespaces, and refuse what it does not allow.
 * Beside it, for tests: `/faults/{script}` takes what is to go wrong, `/outage/on` lets every call fail until
 * `/outage/off`, `/calls/{script}` tells what was called, and
 * `/scripts/{namespace}/{script}` is what a dispatcher runs.
 */
export async function serveCloudflare(): Promise<{ origin: string }> {
  const api = new Api({ token: TOKEN });
  api.createNamespace(ACCOUNT_ID, NAMESPACE);
  const faults = new Faults();
  const server = createServer((request, response) => {
    void answer(api, faults, { request, response });
  });
  // Closed while a request is on its way, a connection that is kept alive would lose it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It serves a test run, and never keeps one from its end.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}` };
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

async function answer(api: Api, faults: Faults, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { url: target = "/", method = "GET", headers } = request;
  const url = new URL(target, "http://localhost");
  const call = { method, url, body: await buffer(request), headers };
  if (url.pathname.startsWith("/client/")) await answerAsApi(api, faults, { ...exchange, call });
  else response.end(JSON.stringify(toldOf(api, faults, call) ?? null));
}

/** What a test or a dispatcher is told. */
function toldOf(api: Api, faults: Faults, { url, body }: ApiCall): unknown {
  const [place, about = "", name = ""] = url.pathname.split("/").slice(1);
  if (place === "outage") {
    faults.isOut = about === "on";
    return null;
  }
  if (place === "calls") return faults.calls(about);
  if (place === "scripts") return faults.isCallable(name) ? api.scriptAt(about, name) : undefined;
  return faults.set(about, JSON.parse(body.toString()) as FaultPlan);
}

async function answerAsApi(
  api: Api,
  faults: Faults,
  { request, response, call }: Exchange & { call: ApiCall },
): Promise<void> {
  const end = await answerOrFault(api, faults, call);
  if (end === "reset") request.socket.destroy();
  else if (end !== "hang") send(response, end);
}

/** What comes of a call: the answer of the API, or what was to go wrong with it, taken in or not. */
async function answerOrFault(
  api: Api,
  faults: Faults,
  call: ApiCall,
): Promise<ApiAnswer | "reset" | "hang"> {
  const about = subjectOf(call.url);
  const fault = faults.next(about, call.method);
  faults.note(about, call.method);
  if (!fault) return api.answer(call);
  await setTimeout(fault.afterMs ?? 0);
  if (fault.answer === undefined) return api.answer(call);
  if (fault.isApplied === true) await api.answer(call);
  return fault.answer;
}

function send(response: ServerResponse, { status, headers, text }: ApiAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** The script that a call is about, or the namespace. */
function subjectOf({ pathname }: URL): string {
  const [last = "", before = ""] = pathname.split("/").toReversed();
  return last === "scripts" ? before : last;
}
