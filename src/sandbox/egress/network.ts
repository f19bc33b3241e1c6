import { type Cause, isTooDeep, TOO_DEEP } from "#domain/chains.ts";
import type { OwnerId } from "#domain/ids.ts";
import { isOwnTarget, mayBeOwnTarget, refusalOf } from "#domain/targets.ts";

import { toPlatform, withCause } from "./claims.ts";
import { connectionFailure } from "./connection-failure.ts";
import { operatorFetch, relayedFetch, TargetRefused } from "./guarded-fetch.ts";

/** The platform itself, and the operator's rules. */
export type Network = {
  self: Pick<Fetcher, "fetch">;
  /** The platform's origins: of the API, and of endpoints if they have a separate one. */
  ownUrls: readonly string[];
  allowPrivate: boolean;
  /** Reaches the operator's own services if the runtime's network refuses private addresses. */
  operator?: Fetcher | undefined;
  /** The egress gateway of components' requests, and their owner; undefined: requests go to their targets. */
  gateway?: { url: string; owner: OwnerId } | undefined;
  /** The cause of requests to the platform itself without one; absent: one more hop is allowed. */
  unknown?: Cause;
};

/** The network of an object or entrypoint of this Worker. */
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

/** Whether a platform is not on Cloudflare: its runtime reaches private addresses, or has another way to them. */
export function isLocal(env: Pick<Env, "ALLOW_PRIVATE_TARGETS" | "OPERATOR_NETWORK">): boolean {
  return env.ALLOW_PRIVATE_TARGETS === "true" || env.OPERATOR_NETWORK !== undefined;
}

/** Further host names of a local platform. */
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"];

/**
 * The configured origins of a deployment: of the API, and of endpoints if they have a separate one. An origin on the
 * loopback interface exists under each of its names.
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

/** Send a request to a target from a user. Throws for a forbidden target. */
export async function networkFetch(request: Request, network: Network): Promise<Response> {
  // A direct call is faster than one over the network, and needs no exception in the operator's firewall.
  const url = new URL(request.url);
  if (isOwnTarget(url, network.ownUrls))
    return throughItself(toPlatform(request, network.unknown), network);
  if (!network.gateway) {
    const mayComeBack = mayBeOwnTarget(url, network.ownUrls);
    return directly(mayComeBack ? withCause(request, network.unknown) : request, network);
  }
  const refusal = refusalOf(request.url, network.allowPrivate);
  if (refusal !== undefined) throw new TargetRefused(refusal);
  return operatorFetch(throughGateway(request, network.gateway), network.operator);
}

async function directly(request: Request, network: Network): Promise<Response> {
  try {
    return await relayedFetch(request, network);
  } catch (error) {
    const { allowPrivate, operator } = network;
    throw await connectionFailure(error, request.url, allowPrivate || operator !== undefined);
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

/** A request to the gateway, with the target in a header. */
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
