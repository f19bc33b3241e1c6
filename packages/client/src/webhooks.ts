import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

/** The signed headers, and the header of the signature. */
const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

type WebhookRequest = {
  /** The raw body: text that was parsed and serialized again has another signature. */
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
