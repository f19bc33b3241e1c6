// Renews an access token that a provider refuses during a run, and repeats the refused request.

import { discard } from "./discard.worker.js";

const UNAUTHORIZED = 401;

const { Headers, Request: RuntimeRequest } = /** @type {any} */ (globalThis);

/**
 * Record the access tokens of an instance's accounts, so that a refused one is recognised.
 * @param {import("./call.worker.js").CallContext} context
 * @param {Record<string, any>} values the instance's values by prop
 */
export function keepTokens(context, values) {
  for (const value of Object.values(values)) {
    const auth = value?.$auth;
    const token = auth?.oauth_access_token;
    if (typeof token !== "string" || token === "") continue;
    context.tokens ??= new Map();
    context.tokens.set(token, [...(context.tokens.get(token) ?? []), auth]);
  }
}

/**
 * Send a request. If the provider refuses the access token in its headers or its query, the token is renewed, and the
 * request is sent once more if its body can be repeated.
 * @param {import("./call.worker.js").CallContext | undefined} context
 * @param {{ input: any, init: any }} request
 * @param {(input: any, init?: any) => Promise<Response>} send
 * @returns {Promise<Response>}
 */
export function sendWithToken(context, { input, init }, send) {
  if (!context?.tokens || context.ended) return send(input, init);
  const headers = new Headers(init?.headers ?? input?.headers);
  const url = urlOf(input);
  const token = tokenIn({ headers, url }, context.tokens.keys());
  if (token === undefined) return send(input, init);
  const sendWith = (other, given) =>
    send(withQuery(given, url, { token, other }), {
      ...init,
      headers: replaced(headers, token, other),
    });
  return sendOrRenew(context, token, { input, init, send, sendWith });
}

async function sendOrRenew(context, token, { input, init, send, sendWith }) {
  const known = await context.renewals?.get(token);
  if (known) return sendWith(known, input);
  const again = copyOf(input, init);
  const response = await send(input, init);
  const renewed = response.status === UNAUTHORIZED ? await renewal(context, token) : null;
  if (renewed === null || again === undefined) {
    if (again instanceof RuntimeRequest) discard(again);
    return response;
  }
  discard(response);
  return sendWith(renewed, again);
}

function urlOf(input) {
  return URL.parse(input instanceof RuntimeRequest ? input.url : String(input));
}

function tokenIn({ headers, url }, tokens) {
  const values = [...headers.values()];
  const inQuery = new Set(url?.searchParams.values());
  return [...tokens].find(
    (token) => inQuery.has(token) || values.some((value) => value.includes(token)),
  );
}

/** The request with another token if the query has one as a whole value. The rest of the query keeps its spelling. */
function withQuery(given, url, { token, other }) {
  if (!url || ![...url.searchParams.values()].includes(token)) return given;
  const changed = new URL(url);
  changed.search = url.search
    .slice(1)
    .split("&")
    .map((pair) => {
      const [[name, value] = []] = new URLSearchParams(pair);
      return value === token ? new URLSearchParams([[name, other]]).toString() : pair;
    })
    .join("&");
  return given instanceof RuntimeRequest ? new RuntimeRequest(changed, given) : changed;
}

function replaced(headers, token, other) {
  const entries = [...headers].map(([name, value]) => [name, value.replaceAll(token, () => other)]);
  return new Headers(entries);
}

/** The repeated request; undefined: its body is a stream, which is read once. */
function copyOf(input, init) {
  const body = init?.body;
  if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) return undefined;
  const isRead = input instanceof RuntimeRequest && input.body !== null && !body;
  return isRead ? input.clone() : input;
}

/** The replacement of a refused token, or null. Within one call it is renewed once. */
function renewal(context, token) {
  context.renewals ??= new Map();
  const known = context.renewals.get(token) ?? renew(context, token);
  context.renewals.set(token, known);
  return known;
}

async function renew(context, token) {
  try {
    const other = await context.host.renewToken(token);
    if (typeof other !== "string") return null;
    const auths = context.tokens.get(token);
    for (const auth of auths) auth.oauth_access_token = other;
    context.tokens.set(other, auths);
    return other;
  } catch {
    // The component gets the provider's refusal.
    return null;
  }
}
