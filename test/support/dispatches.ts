import { env } from "cloudflare:workers";

import type { Dispatcher } from "./dispatcher.ts";

/** How often a script was called for its owner so far, and what it was held to the last time. */
export async function dispatchesOf(name: string) {
  // The types of the Worker do not know what stands in for the namespace in tests.
  const dispatcher = env.DISPATCH as unknown as Pick<Dispatcher, "callsTo">;
  const { count, limits } = await dispatcher.callsTo(name);
  return { count, limits };
}
