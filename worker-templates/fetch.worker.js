// `fetch` and `Request` of a component: tied to the call that sends, and with what Node takes and the runtime refuses.
import { isOwn, takeShare } from "./chain.worker.js";
import { current } from "./context.worker.js";

const send = globalThis.fetch;
const RuntimeRequest = globalThis.Request;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The runtime throws at any other value, and has no cache that they could be about. */
const CACHE_MODES = new Set([undefined, "no-store", "no-cache"]);

/** Requests that no redirect may answer: the runtime has no such mode. */
const unredirected = new WeakSet();

/** Why something is refused to what a component left running when its call ended. */
export class CallEnded extends Error {
  name = "CallEnded";
  constructor(what) {
    super(`${what} is refused: the run that it belongs to has ended`);
  }
}

// The Cache API belongs to the operator's whole zone: what a component put there, others would be answered with.
delete globalThis.caches;
delete ServiceWorkerGlobalScope.prototype.CacheStorage;
delete ServiceWorkerGlobalScope.prototype.Cache;

/**
 * A request to the platform itself carries how many emitters led to it, how many requests of components it is inside
 * of, and how many runs it may still lead to.
 */
function sendStamped(context, input, init) {
  if (!isOwn(context?.chain, input)) return send(input, init);
  const request = new RuntimeRequest(input, init);
  request.headers.set("x-wellspring-hops", String(context.chain.hops + 1));
  request.headers.set("x-wellspring-depth", String((context.chain.depth ?? 0) + 1));
  request.headers.set("x-wellspring-budget", String(takeShare(context)));
  return send(request);
}

/** Options that the runtime takes. */
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
  if (!REDIRECTS.has(response.status) || !response.headers.has("location")) return response;
  await response.body?.cancel();
  throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
}

function sendAsNode(context, input, init) {
  const sent = sendStamped(context, input, taken(init));
  return isUnredirected(input, init) ? unlessRedirected(sent) : sent;
}

// What a hook has set in db is committed before any of its requests leaves: a provider that calls the endpoint
// back at once must find it. `node:http` goes through here too.
globalThis.fetch = function fetch(input, init) {
  const context = current.getStore();
  if (context?.ended) return Promise.reject(new CallEnded("A request"));
  const pending = context?.db?.pending();
  if (pending) return pending.then(() => sendAsNode(context, input, init));
  try {
    return sendAsNode(context, input, init);
  } catch (error) {
    return Promise.reject(error);
  }
};

globalThis.Request = new Proxy(RuntimeRequest, {
  construct(target, [input, init], newTarget) {
    const request = Reflect.construct(target, [input, taken(init)], newTarget);
    if (!isUnredirected(input, init)) return request;
    unredirected.add(request);
    return Object.defineProperty(request, "redirect", { value: "error" });
  },
});
