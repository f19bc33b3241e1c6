import type { EmissionMessage } from "#domain/messages.ts";

import { type RouterDeps, route } from "./router.ts";

/** Maximum delay before a message is retried. */
const MAX_RETRY_SECONDS = 300;

/** Consume a batch of the `emissions` queue. Unsettled messages are retried with an increasing delay. */
export async function consume(
  batch: MessageBatch<EmissionMessage>,
  deps: RouterDeps,
): Promise<void> {
  const bodies = batch.messages.map(({ body }) => body);
  const settled = await route(bodies, deps);
  for (const [index, message] of batch.messages.entries())
    if (settled[index]) message.ack();
    else message.retry({ delaySeconds: Math.min(2 ** message.attempts, MAX_RETRY_SECONDS) });
}
