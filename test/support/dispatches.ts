import { env } from "cloudflare:workers";

import type { Dispatcher } from "./dispatcher.ts";

/** The number of calls of a script for its owner so far, and the limits of the last one. */
export async function dispatchesOf(name: string) {
  // The types of the Worker do not include the fake namespace of the tests.
  const dispatcher = env.DISPATCH as unknown as Pick<Dispatcher, "callsTo">;
  const { count, limits } = await dispatcher.callsTo(name);
  return { count, limits };
}
