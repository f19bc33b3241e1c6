import type { Position } from "../domain/event-ids.ts";
import type { EmissionMessage } from "../domain/messages.ts";

/** Tells a source which of its events every listener has. */
export type Acknowledge = (sourceId: string, positions: Position[]) => Promise<void>;

/** Settle each message by itself, so that one source that fails never holds up its neighbours. */
export async function consume(
  batch: MessageBatch<EmissionMessage>,
  acknowledge: Acknowledge,
): Promise<void> {
  await Promise.all(batch.messages.map((message) => settle(message, acknowledge)));
}

async function settle(message: Message<EmissionMessage>, acknowledge: Acknowledge): Promise<void> {
  const { sourceId, positions } = message.body;
  try {
    await acknowledge(sourceId, positions);
    message.ack();
  } catch (error) {
    console.error("A message of the emissions queue could not be settled", error);
    message.retry({ delaySeconds: Math.min(2 ** message.attempts, 300) });
  }
}
