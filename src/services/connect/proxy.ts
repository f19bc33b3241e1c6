import type { Credentials } from "#domain/accounts.ts";
import type { App } from "#domain/apps.ts";
import { type Cause, chainEnd, isChainOver } from "#domain/chains.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { isId } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import {
  authorized,
  forwardedHeaders,
  type Hop,
  hopAfter,
  relayedHeaders,
  targetOf,
} from "#domain/proxy.ts";
import { refusalOf } from "#domain/targets.ts";

import { type Account, getAccount } from "../accounts.ts";
import type { Context } from "../context.ts";
import { admitToSend, meteredRun } from "../usage.ts";
import { appFor } from "./apps.ts";
import { asKnownUser, type ProjectContext } from "./context.ts";

/** Maximum time for a target's whole response: that of an action. */
const DEADLINE_MS = 300_000;

const MAX_REDIRECTS = 5;

const LATE = "The body must arrive within 30 seconds for each 5 MB of it";

/** Maximum response that is relayed. */
const MAX_RESPONSE_BYTES = 100 * 1024 * 1024;

/** A request to send with an account's credentials. */
export type ProxiedRequest = {
  externalId: string | undefined;
  accountId: string;
  /** A URL, or a path below the app's base URL. */
  target: string;
  method: string;
  /** The caller's headers; those that begin with `x-pd-proxy-` are forwarded. */
  headers: Headers;
  /** A stream can be sent only once: such a request is not repeated. */
  body: Uint8Array<ArrayBuffer> | ReadableStream | null;
  /** Aborted if a stream takes too long to arrive. */
  arrival?: AbortSignal;
  cause: Cause;
};

/** One proxied request in progress. */
type Proxied = ProxiedRequest & { ctx: ProjectContext; account: Account; app: App };

/**
 * Send a request with the credentials of an external user's account, as its app specifies, to hosts that the app names.
 * An access token that the target refuses is refreshed once. Returns the target's response. Refuses other hosts,
 * private networks, and a payer with an exhausted quota; logs no part of request or response. A sent request counts as
 * a run.
 */
export async function proxyRequest(
  ctx: ProjectContext,
  request: ProxiedRequest,
): Promise<Response> {
  if (isChainOver(request.cause))
    throw new RequestError("loop_detected", chainEnd(request.cause).message);
  const { user, account } = await accountFor(ctx, request);
  await admitToSend(user, account.ownerId);
  const proxied = { ...request, ctx, account, app: await appFor(ctx, account.app) };
  const credentials = await credentialsOf(proxied);
  // A request that is refused before it is sent costs nothing.
  authorizedHop(proxied, firstHop(proxied, credentials), credentials);
  const response = await meteredRun(ctx, account.ownerId, () => sendRenewing(proxied, credentials));
  return relayed(request.method, response);
}

async function sendRenewing(proxied: Proxied, credentials: Credentials): Promise<Response> {
  const response = await sendFollowing(proxied, credentials);
  const renewed = response.status === 401 ? await renewedFor(proxied, credentials) : undefined;
  if (!renewed) return response;
  await response.body?.cancel();
  return sendFollowing(proxied, renewed);
}

/** Credentials with another access token than the refused one; undefined: there are none, or they would not help. */
async function renewedFor(
  { ctx, account, body }: Proxied,
  credentials: Credentials,
): Promise<Credentials | undefined> {
  const { oauth_access_token: refused } = credentials;
  if (typeof refused !== "string" || body instanceof ReadableStream) return undefined;
  const token = await ctx.accounts(account.id).tokenAfter(account.ownerId, refused);
  return token === null ? undefined : { ...credentials, oauth_access_token: token };
}

async function accountFor(
  ctx: ProjectContext,
  { externalId, accountId }: ProxiedRequest,
): Promise<{ user: Context; account: Account }> {
  if (!isId("account", accountId))
    throw invalidInput([{ path: "account_id", message: "must be the id of an account" }]);
  const user = await asKnownUser(ctx, externalId);
  if (!user) throw notFound("account", accountId);
  return { user, account: await getAccount(user, accountId) };
}

async function credentialsOf({ ctx, account }: Proxied): Promise<Credentials> {
  const granted = await ctx.accounts(account.id).credentials(account.ownerId);
  if (!granted.ok) throw invalidInput([{ path: "account_id", message: granted.reason }]);
  return credentialsIn(granted.auth);
}

function credentialsIn(auth: string): Credentials {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- credentials are an object.
  return fromJson(auth) as Credentials;
}

/** The request to the target itself. Refuses a target that may not get the credentials. */
function firstHop({ ctx, app, ...given }: Proxied, credentials: Credentials): Hop {
  const allowPlain = ctx.allowPrivateTargets;
  const target = targetOf(app, credentials, { text: given.target, allowPlain });
  if (!target.ok) throw invalidInput([{ path: "url", message: target.problem }]);
  const { method, body } = given;
  return { url: target.url, method, hasBody: body !== null, isTrusted: true };
}

async function sendFollowing(proxied: Proxied, credentials: Credentials): Promise<Response> {
  const { ctx, app, body } = proxied;
  const mayTrust = ({ href: text }: URL) =>
    targetOf(app, credentials, { text, allowPlain: ctx.allowPrivateTargets }).ok;
  const first = firstHop(proxied, credentials);
  let hop = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await sendHop(proxied, hop, credentials);
    const location = locationOf(response);
    if (location === undefined) return response;
    const next = hopAfter(hop, { status: response.status, location }, mayTrust);
    await response.body?.cancel();
    if (!next || (next.hasBody && body instanceof ReadableStream))
      throw new RequestError(
        "upstream_failed",
        `${hop.url.host} redirects to where a request with a body does not go`,
      );
    hop = next;
  }
  throw new RequestError(
    "upstream_failed",
    `${first.url.host} redirects more than ${MAX_REDIRECTS} times`,
  );
}

function locationOf({ status, headers }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  return headers.get("location") ?? undefined;
}

async function sendHop(
  { ctx, account, cause, ...given }: Proxied,
  hop: Hop,
  credentials: Credentials,
): Promise<Response> {
  const { url, headers } = authorizedHop({ ...given, ctx }, hop, credentials);
  const onward = { ...cause, hops: cause.hops + 1, depth: cause.depth + 1 };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await ctx.egress(account.ownerId, onward).fetch(url, {
      method: hop.method,
      headers,
      redirect: "manual",
      signal,
      ...(hop.hasBody && { body: given.body }),
    });
  } catch {
    if (given.arrival?.aborted) throw new RequestError("request_timeout", LATE);
    if (signal.aborted)
      throw new RequestError("upstream_timeout", `${url.host} did not respond in time`);
    throw new RequestError("upstream_failed", `${url.host} could not be reached`);
  }
}

/** The URL and the headers of a hop. Refuses private networks, and credentials that fit into no header. */
function authorizedHop(
  { ctx, app: { request }, headers }: Pick<Proxied, "app" | "ctx" | "headers">,
  hop: Hop,
  credentials: Credentials,
): { url: URL; headers: Headers } {
  const refusal = refusalOf(hop.url.href, ctx.allowPrivateTargets);
  if (refusal !== undefined) throw new RequestError("upstream_failed", refusal);
  try {
    return authorized(hop, forwardedHeaders(headers), { request, credentials });
  } catch {
    // A key that a user typed may be an invalid header value.
    throw invalidInput([{ path: "account_id", message: "its credentials fit into no header" }]);
  }
}

function relayed(method: string, response: Response): Response {
  const { status, body, headers } = response;
  const init = { status, headers: relayedHeaders(headers) };
  if (body === null || method === "HEAD" || [204, 205, 304].includes(status))
    return new Response(null, init);
  const length = init.headers.get("content-length");
  if (length === null) return new Response(body.pipeThrough(bounded()), init);
  if (Number(length) <= MAX_RESPONSE_BYTES) return new Response(body, init);
  throw new RequestError("upstream_failed", "The response is larger than 100 MB");
}

/** Aborts a body without a declared length, so that the caller does not mistake a part of it for the whole. */
function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > MAX_RESPONSE_BYTES) controller.error(new RangeError("Larger than 100 MB"));
      else controller.enqueue(chunk);
    },
  });
}
