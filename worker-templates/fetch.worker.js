// `fetch` and `Request` of a component: bound to the sending call, with options that Node accepts and the runtime
// refuses.
import { sendWithToken } from "./access-token.worker.js";
import { current } from "./context.worker.js";
import { discard } from "./discard.worker.js";
import { fetchFailure } from "./node-http-errors.worker.js";

// Packages replace globals when they are loaded: what the harness uses is taken before.
const { fetch: send, Headers, Response, TransformStream } = /** @type {any} */ (globalThis);
const RuntimeRequest = globalThis.Request;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The same limit as the runtime's `fetch`. */
const MAX_REDIRECTS = 20;

const BODY_HEADERS = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
];
const CREDENTIAL_HEADERS = ["authorization", "cookie", "proxy-authorization"];

/** The runtime throws for any other value, and has no cache that they could control. */
const CACHE_MODES = new Set([undefined, "no-store", "no-cache"]);

/** The runtime has no mode for requests that must not be redirected. */
const unredirected = new WeakSet();

/** The refusal of an operation by code that a component left running after its call. */
export class CallEnded extends Error {
  name = "CallEnded";
  constructor(what) {
    super(`${what} is refused: the run that it belongs to has ended`);
  }
}

// The Cache API belongs to the operator's whole zone: others would get a component's entries.
const scope = /** @type {any} */ (globalThis);
delete scope.caches;
delete scope.ServiceWorkerGlobalScope.prototype.CacheStorage;
delete scope.ServiceWorkerGlobalScope.prototype.Cache;

/** Whether a request goes to the platform itself. */
function isOwn(context, input) {
  if (!context?.host || !context.call?.origins) return false;
  const url = URL.parse(input instanceof RuntimeRequest ? input.url : String(input));
  return url !== null && context.call.origins.includes(url.origin);
}

/**
 * A request to the platform itself goes through the host, which knows the cause of the call. Sent like any other, it
 * could begin no run.
 */
function sendFrom(context, input, init) {
  if (!isOwn(context, input)) return sendWithToken(context, { input, init }, send);
  const request = new RuntimeRequest(input, init);
  return request.redirect === "follow"
    ? followRedirects(context, request)
    : sendByHost(context, request);
}

/** Neither an abort signal nor the URL of a response crosses the RPC boundary to the host. */
async function sendByHost(context, request) {
  const { signal, url } = request;
  signal?.throwIfAborted();
  const plain = new RuntimeRequest(request, { redirect: "manual", signal: null });
  const sent = context.host.fetch(plain);
  const response = signal ? await unlessAborted(signal, sent) : await sent;
  return Object.defineProperty(response, "url", { value: url });
}

async function unlessAborted(signal, sent) {
  const aborted = Promise.withResolvers();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    const response = await Promise.race([sent, aborted.promise]);
    const body = response.body?.pipeThrough(new TransformStream(), { signal });
    return new Response(body, response);
  } catch (error) {
    sent.then(discard, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Each request of a redirect takes another share of the call's budget. */
async function followRedirects(context, first) {
  let request = first;
  for (let sent = 0; sent <= MAX_REDIRECTS; sent += 1) {
    const again = request.clone();
    const response = await sendByHost(context, request);
    const location = locationOf(response);
    if (location === null) {
      discard(again);
      return sent === 0 ? response : Object.defineProperty(response, "redirected", { value: true });
    }
    discard(response);
    const url = new URL(location, request.url);
    request = redirectedTo(url, { request: again, status: response.status });
    if (!isOwn(context, request)) return send(request);
  }
  discard(request);
  throw new TypeError("fetch failed", { cause: new Error("redirect count exceeded") });
}

function locationOf(response) {
  return REDIRECTS.has(response.status) ? response.headers.get("location") : null;
}

/** The request after a redirect, by the Fetch standard. */
function redirectedTo(url, { request, status }) {
  const { method, signal } = request;
  const isGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  const headers = new Headers(request.headers);
  if (isGet) for (const name of BODY_HEADERS) headers.delete(name);
  if (url.origin !== new URL(request.url).origin)
    for (const name of CREDENTIAL_HEADERS) headers.delete(name);
  const kept = isGet ? { method: "GET" } : { method, body: request.body };
  return new RuntimeRequest(url, { ...kept, headers, signal });
}

/** Options that the runtime accepts. */
function taken(init) {
  if (!init || (init.redirect !== "error" && CACHE_MODES.has(init.cache))) return init;
  const redirect = init.redirect === "error" ? "manual" : init.redirect;
  return { ...init, redirect, cache: CACHE_MODES.has(init.cache) ? init.cache : undefined };
}

function isUnredirected(input, init) {
  return (init?.redirect ?? (unredirected.has(input) ? "error" : "")) === "error";
}

async function unlessRedirected(sent) {
  const response = await sent;
  if (locationOf(response) === null) return response;
  discard(response);
  throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
}

function sendAsNode(context, input, init) {
  const sent = sendFrom(context, input, taken(init)).catch((error) => {
    throw fetchFailure(error);
  });
  return isUnredirected(input, init) ? unlessRedirected(sent) : sent;
}

// A hook's writes to db are committed before any of its requests is sent: a provider that calls the endpoint back at
// once must find them. `node:http` also uses this.
export function fetch(input, init) {
  const context = current.getStore();
  if (context?.ended) return Promise.reject(new CallEnded("A request"));
  const pending = context?.db?.pending();
  if (pending) return pending.then(() => sendAsNode(context, input, init));
  try {
    return sendAsNode(context, input, init);
  } catch (error) {
    return Promise.reject(error);
  }
}

globalThis.fetch = fetch;
globalThis.Request = new Proxy(RuntimeRequest, {
  construct(target, [input, init], newTarget) {
    const request = Reflect.construct(target, [input, taken(init)], newTarget);
    if (!isUnredirected(input, init)) return request;
    unredirected.add(request);
    return Object.defineProperty(request, "redirect", { value: "error" });
  },
});
