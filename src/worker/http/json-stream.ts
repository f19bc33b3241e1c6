import type { Context } from "hono";

import type { AppEnv } from "./env.ts";

const encoder = new TextEncoder();

/**
 * Respond with JSON in pieces, at the speed of its reader. The pieces must already contain only the requested fields.
 */
export function jsonStream(c: Context<AppEnv>, pieces: AsyncGenerator<string, void>): never {
  // The middleware cannot select fields of a stream.
  c.set("fields", {});
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- contracts have no type for streamed JSON of their shape.
  return c.body(body, 200, { "content-type": "application/json" }) as never;
}
