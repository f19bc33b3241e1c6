import { newUnsignedKey } from "#domain/endpoint-keys.ts";
import type { Id } from "#domain/ids.ts";

import type { AppContext } from "./context.ts";

/** Create the key of an endpoint. Its signature proves that it is real before any object is called. */
export function createEndpointKey(
  { vault }: Pick<AppContext, "vault">,
  id: Id<"source"> | Id<"workflow">,
): Promise<string> {
  return vault.signEndpointKey(newUnsignedKey(id));
}
