import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

/** The headers that a signature covers, and its own. */
const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

type WebhookRequest = {
  /** The body as it arrived: text that was parsed and written again has another signature. */
  payload: string;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The signing secret of the webhook, `whsec_…`. */
  secret: string;
};

/**
 * Verify the signature and age of a delivery, and return its body, parsed. Throws a `WebhookVerificationError` if the
 * delivery was not signed with this secret, or is older than five minutes.
 */
export function verifyWebhook({ payload, headers, secret }: WebhookRequest): unknown {
  const signed = Object.fromEntries(HEADERS.map((name) => [name, valueIn(headers, name)]));
  return new Webhook(secret).verify(payload, signed);
}

function valueIn(headers: WebhookRequest["headers"], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
