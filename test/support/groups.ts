import { expect } from "vitest";

import { newDelivery } from "./webhook.ts";

type Stub = DurableObjectStub<import("#durable-objects/source/object.ts").SourceObject>;

/**
 * Send events `{ as }` to a source: the first one, and once its run waits for a gate, the others. Those of one batch are
 * called together while another run is under way.
 */
export async function receiveInGroups(
  stub: Stub,
  atGate: () => Promise<unknown[]>,
  [first, others]: [string[], string[]],
): Promise<void> {
  const batch = (names: string[]) =>
    names.map((as) => ({ ...newDelivery({ payload: JSON.stringify({ as }) }), channel: "" }));
  await stub.receive(batch(first));
  await expect.poll(atGate).toHaveLength(1);
  await stub.receive(batch(others));
}
