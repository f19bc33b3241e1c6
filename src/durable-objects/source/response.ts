import { shardOfName } from "#domain/source-shards.ts";
import { logRejection } from "#http/rejections.ts";
import type { Incoming } from "#http/requests.ts";
import { type HttpResponse, refuse } from "#http/responses.ts";

import type { WiredSource } from "./wiring.ts";

const MISSING = refuse(404, "not_found", "No active source has this endpoint");

/**
 * The response of an object to a request for its source. A shard that does not have the endpoint refers to the source's own
 * object: it may have been retired, paused or removed, or have an older deployment.
 */
export async function responseTo(
  incoming: Incoming,
  source: WiredSource | null,
  objectName = "",
): Promise<HttpResponse> {
  if (!source)
    return shardOfName(objectName).shard === 0
      ? logRejection(MISSING, incoming)
      : { ...MISSING, shards: 0 };
  const { endpoint, deployments } = source;
  if (source.role && !endpoint.serves(incoming)) return { ...MISSING, shards: 0 };
  const response = await endpoint.handle(incoming);
  const { sourceId: emitterId, ownerId } = deployments.current() ?? {};
  const logged = logRejection(response, incoming, { emitterId, ownerId });
  const shards = shardsOf(source);
  return shards === undefined ? logged : { ...logged, shards };
}

/** The number of shards that take requests; undefined: the source never had several. */
function shardsOf({ role, siblings }: WiredSource): number | undefined {
  if (role) return role.count();
  return siblings.exist() ? siblings.count() : undefined;
}
