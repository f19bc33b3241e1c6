import type { DeliveryKey } from "#domain/delivery-ids.ts";
import type { Vault } from "#vault/vault.ts";

import { agentMessage } from "./agent-delivery.ts";
import { type Message, messageOf, type Outgoing, sentHeaders } from "./attempt.ts";
import type { DeliveryDetails } from "./contract.ts";
import type { Deliveries } from "./deliveries.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { DeliveryLog } from "./log.ts";

/** Maximum characters of a body that are shown. */
const MAX_BODY_CHARACTERS = 262_144;

type Deps = { deliveries: Deliveries; log: DeliveryLog; health: EndpointHealth; vault: Vault };

/** A delivery with the request that sends it, to the webhook's current URL. */
export async function detailsOf(
  { deliveries, log, health, vault }: Deps,
  key: DeliveryKey,
  nowMs: number,
): Promise<DeliveryDetails | null> {
  const [shown, found] = [log.one(key), deliveries.find(key)];
  if (!shown || !found) return null;
  const last = shown.attempts.at(-1);
  const delivery = { ...found, attempt: last ? found.attempt - 1 : found.attempt };
  const { url, message } = await sentBy({ health, vault }, delivery);
  const timestamp = Math.floor((last?.atMs ?? nowMs) / 1000);
  const request = {
    url,
    headers: sentHeaders(message, timestamp),
    body: message.body.slice(0, MAX_BODY_CHARACTERS),
    bodyBytes: new TextEncoder().encode(message.body).length,
    isTruncated: message.body.length > MAX_BODY_CHARACTERS,
  };
  return { ...shown, request, response: deliveries.lastResponse(key) };
}

/** The message of a delivery, and its target. */
async function sentBy(
  { health, vault }: Pick<Deps, "health" | "vault">,
  delivery: Outgoing,
): Promise<{ url: string; message: Message }> {
  const { agent, url = "" } = health.current ?? {};
  const message = agent
    ? await agentMessage(delivery, agent, { watermark: delivery.position, vault })
    : messageOf(delivery);
  return { url, message };
}
