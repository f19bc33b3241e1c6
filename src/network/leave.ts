import type { OwnerId } from "../domain/ids.ts";
import { type Network, reach } from "./reach.ts";

/** Whose request it is, how the network looks from here, and where such requests are counted. */
type Leaving = {
  owner: OwnerId;
  network: Network;
  gatewayUrl: string;
  usage: AnalyticsEngineDataset | undefined;
};

/**
 * Let a request of user code out to the network, filtered and counted for its owner. A data point of Analytics Engine
 * is written without waiting and costs no row; indexed by owner, what one tenant sends is never sampled away by
 * what others do.
 */
export async function leave(
  request: Request,
  { owner, network, gatewayUrl, usage }: Leaving,
): Promise<Response> {
  const startMs = Date.now();
  const gateway = gatewayUrl === "" ? undefined : { url: gatewayUrl, owner };
  let status = 0;
  try {
    const response = await reach(request, { ...network, gateway });
    ({ status } = response);
    return response;
  } finally {
    const outcome = status === 0 ? "failed" : `${Math.floor(status / 100)}xx`;
    usage?.writeDataPoint({
      indexes: [owner],
      blobs: [outcome, request.method],
      doubles: [1, Date.now() - startMs],
    });
  }
}
