// Renews an access token that a provider refuses while a component runs, and repeats the request that carried it.

import { discard } from "./discard.worker.js";

const UNAUTHORIZED = 401;

const RuntimeRequest = globalThis.Request;

/**
 * Keep the access tokens of an instance's accounts, so that a refused one is recognised.
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
 * Send a request. Where the provider refuses the access token among its headers, the token is renewed, and the request
 * is sent once more if its body can be.
 * @param {import("./call.worker.js").CallContext | undefined} context
 * @param {{ input: any, init: any }} request
 * @param {(input: any, init?: any) => Promise<Response>} send
 * @returns {Promise<Response>}
 */
export function sendWithToken(context, { input, init }, send) {
  if (!context?.tokens || context.ended) return send(input, init);
  const headers = new Headers(init?.headers ?? input?.headers);
  const token = tokenIn(headers, context.tokens.keys());
  if (token === undefined) return send(input, init);
  const sendWith = (other, given) =>
    send(given, { ...init, headers: replaced(headers, token, other) });
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

function tokenIn(headers, tokens) {
  const values = [...headers.values()];
  return [...tokens].find((token) => values.some((value) => value.includes(token)));
}

function replaced(headers, token, other) {
  const entries = [...headers].map(([name, value]) => [name, value.replaceAll(token, () => other)]);
  return new Headers(entries);
}

/** What is sent where a request is repeated; undefined: its body is a stream, which is read once. */
function copyOf(input, init) {
  const body = init?.body;
  if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) return undefined;
  const isRead = input instanceof RuntimeRequest && input.body !== null && !body;
  return isRead ? input.clone() : input;
}

/** The token in place of a refused one, or null. Whatever refuses it in one call, it is renewed once. */
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
    // The component learns of the refusal as if there were nothing to renew.
    return null;
  }
}
