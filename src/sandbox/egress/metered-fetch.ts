import type { Cause } from "#domain/chains.ts";
import type { OwnerId } from "#domain/ids.ts";
import { classOf, methodOf } from "#telemetry/words.ts";

import { NO_HOP, withoutClaims } from "./claims.ts";
import { type Network, networkFetch } from "./network.ts";
import type { EgressTally } from "./tally.ts";

/** The owner of a request, the adapter of its code, the network, and the counters. */
type MeteredRequest = {
  owner: OwnerId;
  adapter: "loader" | "dispatch";
  /** The cause of the request, if known. */
  cause?: Cause | undefined;
  network: Network;
  gatewayUrl: string;
  /** Absent without metrics. */
  usage: AnalyticsEngineDataset | undefined;
  tally: EgressTally;
};

/**
 * Send a request of user code to the network, filtered and counted for its owner. A data point of Analytics Engine is
 * written without waiting and costs no row; it is indexed by owner, so sampling never drops one tenant's requests
 * because of another's.
 */
export async function meteredFetch(
  request: Request,
  { network, gatewayUrl, cause, ...counted }: MeteredRequest,
): Promise<Response> {
  const startMs = Date.now();
  const gateway = gatewayUrl === "" ? undefined : { url: gatewayUrl, owner: counted.owner };
  let response: Response | undefined;
  try {
    response = await networkFetch(withoutClaims(request, cause), {
      ...network,
      gateway,
      unknown: NO_HOP,
    });
    return response;
  } finally {
    count({ request, response, durationMs: Date.now() - startMs }, counted);
  }
}

type CompletedRequest = { request: Request; response: Response | undefined; durationMs: number };

/**
 * Count a request (docs/monitoring.md has the columns). Bytes of bodies are read from headers, because counting others
 * would require reading them here: a request with such bodies is counted as unmeasured.
 */
function count(
  { request, response, durationMs }: CompletedRequest,
  { owner, adapter, usage, tally }: Pick<MeteredRequest, "owner" | "adapter" | "usage" | "tally">,
): void {
  const lengths = [request, response].map(lengthOf);
  const [sent = 0, received = 0] = lengths;
  const unmeasured = lengths.includes(undefined) ? 1 : 0;
  tally.add(owner, { requests: 1, sentBytes: sent, receivedBytes: received, unmeasured });
  try {
    usage?.writeDataPoint({
      indexes: [owner],
      blobs: [classOf(response?.status ?? 0), methodOf(request.method), adapter],
      doubles: [1, durationMs, sent, received, unmeasured],
    });
  } catch {
    // A failure to count does not stop the request.
  }
}

/** The length of a body, if known. */
function lengthOf(message: Request | Response | undefined): number | undefined {
  if (!message?.body) return 0;
  const length = message.headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
