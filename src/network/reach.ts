import type { OwnerId } from "../domain/ids.ts";
import { refusalOf } from "../domain/targets.ts";

/** Ourselves, as others reach us, and what the operator allows. */
export type Network = {
  self: Pick<Fetcher, "fetch">;
  publicUrl: string;
  allowPrivate: boolean;
  /** Where requests of components go instead of their targets, and for whom these are; undefined: to their targets. */
  gateway?: { url: string; owner: OwnerId } | undefined;
};

/** The network as an object or entrypoint of this Worker sees it. */
export function networkOf(self: Fetcher, env: Env): Network {
  return {
    self,
    publicUrl: env.PUBLIC_URL,
    allowPrivate: env.ALLOW_PRIVATE_TARGETS === "true",
  };
}

/** Send a request that users chose the target of. Throws where it may not go. */
export async function reach(request: Request, network: Network): Promise<Response> {
  // A deployed Worker cannot fetch its own hostname, so what is meant for ourselves stays inside.
  if (new URL(request.url).origin === network.publicUrl) return network.self.fetch(request);
  const refusal = refusalOf(request.url, network.allowPrivate);
  if (refusal !== undefined) throw new TypeError(refusal);
  return fetch(network.gateway ? throughGateway(request, network.gateway) : request);
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
