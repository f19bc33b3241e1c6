import { type Cause, isTooDeep, TOO_DEEP } from "#domain/chains.ts";
import type { OwnerId } from "#domain/ids.ts";
import { refusalOf } from "#domain/targets.ts";

import { toPlatform } from "./claims.ts";
import { connectionFailure } from "./connection-failure.ts";
import { guardedFetch, operatorFetch, TargetRefused } from "./guarded-fetch.ts";

/** Ourselves, as others reach us, and what the operator allows. */
export type Network = {
  self: Pick<Fetcher, "fetch">;
  /** The origins that it has: of the API, and of endpoints where they have one of their own. */
  ownUrls: readonly string[];
  allowPrivate: boolean;
  /** The way to what the operator configured, where the runtime's own network refuses private addresses. */
  operator?: Fetcher | undefined;
  /** Where requests of components go instead of their targets, and for whom these are; undefined: to their targets. */
  gateway?: { url: string; owner: OwnerId } | undefined;
  /** The cause of requests to ourselves that do not say what led to them; absent: they may go one hop further. */
  unknown?: Cause;
};

/** The network as an object or entrypoint of this Worker sees it. */
export function networkOf(
  self: Network["self"],
  env: Pick<Env, "PUBLIC_URL" | "EVENTS_URL" | "ALLOW_PRIVATE_TARGETS" | "OPERATOR_NETWORK">,
): Network {
  return {
    self,
    ownUrls: ownOrigins(env),
    allowPrivate: env.ALLOW_PRIVATE_TARGETS === "true",
    operator: env.OPERATOR_NETWORK,
  };
}

/** The names of this machine by which a local platform is reached as well. */
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"];

/**
 * The origins that a deployment is configured to have: of the API, and of endpoints where theirs is another one. An
 * origin on the loopback interface is there under each name of it.
 */
export function ownOrigins({
  PUBLIC_URL,
  EVENTS_URL,
}: Pick<Env, "PUBLIC_URL" | "EVENTS_URL">): string[] {
  const configured = [PUBLIC_URL, EVENTS_URL].filter((url) => url !== "");
  return [...new Set(configured.flatMap((url) => [url, ...aliasesOf(new URL(url))]))];
}

function aliasesOf({ protocol, hostname, port }: URL): string[] {
  if (!LOOPBACK_HOSTS.includes(hostname)) return [];
  return LOOPBACK_HOSTS.map((host) => new URL(`${protocol}//${host}:${port}`).origin);
}

/** Send a request that users chose the target of. Throws where it may not go. */
export async function networkFetch(request: Request, network: Network): Promise<Response> {
  // Inside it is nearer than through our own front door, and firewalls there need no way in for it.
  if (network.ownUrls.includes(new URL(request.url).origin))
    return throughItself(toPlatform(request, network.unknown), network);
  if (!network.gateway) return directly(request, network);
  const refusal = refusalOf(request.url, network.allowPrivate);
  if (refusal !== undefined) throw new TargetRefused(refusal);
  return operatorFetch(throughGateway(request, network.gateway), network.operator);
}

async function directly(request: Request, network: Network): Promise<Response> {
  try {
    return await guardedFetch(request, network);
  } catch (error) {
    throw await connectionFailure(error, request.url);
  }
}

async function throughItself(request: Request, { self }: Network): Promise<Response> {
  try {
    return await self.fetch(request);
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    return Response.json({ error: TOO_DEEP, code: "loop_detected" }, { status: 508 });
  }
}

/** The gateway is told the target by a header, whatever it is. */
function throughGateway(
  request: Request,
  { url, owner }: NonNullable<Network["gateway"]>,
): Request {
  const headers = new Headers(request.headers);
  headers.set("x-wellspring-target", request.url);
  headers.set("x-wellspring-owner", owner);
  const { method, body } = request;
  return new Request(url, { method, body, headers, redirect: "manual" });
}
