import { type Address, addressOf, atOrigins, hasHostOf, withoutDot } from "#domain/address.ts";
import { isTooDeep, TOO_DEEP } from "#domain/chains.ts";
import { emitterOfKey } from "#domain/endpoint-keys.ts";
import { type Id, isId, TOKEN_LENGTH } from "#domain/ids.ts";
import { shardName } from "#domain/source-shards.ts";
import { logRejection } from "#http/rejections.ts";
import { type Incoming, readIncoming } from "#http/requests.ts";
import { type HttpResponse, refuse, toHttp } from "#http/responses.ts";
import { log } from "#telemetry/log.ts";

import { isDiskFull } from "./disk.ts";
import { isOverload } from "./overload.ts";
import { isReal } from "./real-endpoints.ts";
import { recordShards, shardFor } from "./shard-counts.ts";

const ENDPOINT = /^\/e\/([0-9A-Za-z]+)(\/.*)?$/;

/** The path prefixes of the pauses of a workflow's runs. */
const PAUSE = new RegExp(`^/(?:resume|cancel)/([0-9A-Za-z]{${TOKEN_LENGTH}})`);

/** The response to all other paths of a separate origin for events. */
const NOT_SERVED = refuse(404, "not_found", "Only endpoints are served on this origin");

const NOT_FOUND = refuse(
  404,
  "not_found",
  "No active source or workflow has this endpoint or pause",
);

const LATE = refuse(408, "request_timeout", "body: an event must arrive within 30 seconds");

/**
 * An object that fails, or runs another release, may have crashed before its response or before the event was stored.
 */
const FAILED = refuse(503, "unavailable", "The event may not have been stored: send it again", {
  "retry-after": "1",
});

/** The runtime rejects calls before they reach an object when too many wait for it. */
const OVERLOADED = refuse(429, "overloaded", "Too many requests wait for this endpoint", {
  "retry-after": "1",
});

const FULL = refuse(
  507,
  "insufficient_storage",
  "The disk of the platform is full: send the event again later",
  { "retry-after": "30" },
);

const ENDLESS = refuse(508, "loop_detected", TOO_DEEP);

/** The resource that handles a request, the path for it, and the key of an endpoint. */
type Place = { id: Id<"source"> | Id<"workflow">; path: string; key?: string };

/**
 * Forward a request to an endpoint (`/e/{key}/…`), or to the pause of a run (`/resume/…`, `/cancel/…`), to its source
 * or workflow; undefined for any other path. A separate origin (`EVENTS_URL`) serves only these.
 */
export function ingress(request: Request, env: Env): Promise<Response> | Response | undefined {
  const url = addressAt(request.url, env);
  const isApart = env.EVENTS_URL !== "" && withoutDot(url.origin) === env.EVENTS_URL;
  // Browsers share cookies between the ports of a host.
  const sharesOrigin = !isApart || hasHostOf(env.EVENTS_URL, env.PUBLIC_URL);
  if (/^\/(?:e|resume|cancel)\//.test(url.pathname))
    return take(request, { url, sharesOrigin }, env);
  return isApart && url.pathname !== "/health" ? notServed(request, url) : undefined;
}

/** Behind a proxy, requests come without TLS. */
function addressAt(text: string, { TRUSTED_PROXIES, PUBLIC_URL, EVENTS_URL }: Env): Address {
  const address = addressOf(text);
  return TRUSTED_PROXIES ? atOrigins(address, [EVENTS_URL, PUBLIC_URL]) : address;
}

function notServed({ method }: Request, { pathname }: Address): Response {
  const head = { requestId: crypto.randomUUID(), startMs: Date.now(), method, pathname };
  return toHttp(logRejection(NOT_SERVED, head), { ...head, sharesOrigin: false });
}

async function take(
  request: Request,
  { url, sharesOrigin }: { url: Address; sharesOrigin: boolean },
  env: Env,
): Promise<Response> {
  const { method } = request;
  const { pathname } = url;
  const head = { requestId: crypto.randomUUID(), startMs: Date.now(), method, pathname };
  const place = placeOf(pathname);
  if (!place || !(await isReal(place, env)))
    return toHttp(logRejection(NOT_FOUND, head), { ...head, sharesOrigin });
  const incoming = await readIncoming(request, head, { url, path: place.path });
  if (incoming === "late") return toHttp(logRejection(LATE, head), { ...head, sharesOrigin });
  return toHttp(await responseOf(place, incoming, env), { ...head, sharesOrigin });
}

async function responseOf({ id }: Place, incoming: Incoming, env: Env): Promise<HttpResponse> {
  try {
    if (isId("workflow", id)) return await env.WORKFLOWS.getByName(id).answer(incoming);
    return await responseOfSource(id, incoming, env);
  } catch (error) {
    if (isTooDeep(error)) return logRejection(ENDLESS, incoming);
    if (isOverload(error)) return logRejection(OVERLOADED, incoming);
    log("endpoint_failed", { request_id: incoming.requestId, error });
    return logRejection((await isDiskFull(error, env)) ? FULL : FAILED, incoming);
  }
}

/** The response of one of the source's shards; if it takes no requests any more, that of the source's own object. */
async function responseOfSource(
  id: Id<"source">,
  incoming: Incoming,
  { SOURCES }: Env,
): Promise<HttpResponse> {
  const shard = shardFor(id);
  const response = await SOURCES.getByName(shardName(id, shard)).answer(incoming);
  recordShards(id, response);
  if (shard === 0 || response.shards !== 0) return response;
  const own = await SOURCES.getByName(id).answer(incoming);
  recordShards(id, own);
  return own;
}

function placeOf(pathname: string): Place | undefined {
  const [, key = "", path = "/"] = ENDPOINT.exec(pathname) ?? [];
  const id = emitterOfKey(key);
  if (id) return { id, path, key };
  const [, paused] = PAUSE.exec(pathname) ?? [];
  return paused ? { id: `p_${paused}`, path: "/" } : undefined;
}
