import type { Context } from "hono";

import type { AppEnv } from "./env.ts";

const encoder = new TextEncoder();

/** Respond with JSON that comes in pieces, as fast as its reader takes them. Fields have to be left out of them already. */
export function jsonStream(c: Context<AppEnv>, pieces: AsyncGenerator<string, void>): never {
  // Nobody has the whole response to select from.
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- contracts know no streamed JSON; it has their shape.
  return c.body(body, 200, { "content-type": "application/json" }) as never;
}
