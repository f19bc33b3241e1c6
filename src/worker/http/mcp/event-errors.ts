import { INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";

import { RequestError } from "#domain/errors.ts";
import { CallbackFailed } from "#services/agents/subscriptions/callback.ts";

/** The error codes of SEP-3415. */
const CODES = {
  notFound: -32023,
  forbidden: -32024,
  resourceExhausted: -32025,
  unsupported: -32026,
  callbackEndpoint: -32027,
} as const;

/** An error in the form of the methods of events, with its cause; others unchanged. */
export function eventError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { code, details, message } = error;
  const shown = new ProtocolError(codeOf(error), message, { code, ...details });
  return Object.assign(shown, { cause: error });
}

/** Refuse an unsupported delivery mode. */
export function unsupportedDelivery(mode: string): ProtocolError {
  const data = { feature: "deliveryMode", value: mode };
  return new ProtocolError(CODES.unsupported, "Events are delivered to webhooks only", data);
}

function codeOf(error: RequestError): number {
  if (error instanceof CallbackFailed) return CODES.callbackEndpoint;
  if (error.code === "not_found") return CODES.notFound;
  if (error.code === "forbidden") return CODES.forbidden;
  const isExhausted = error.code === "rate_limited" || error.code === "quota_exceeded";
  return isExhausted ? CODES.resourceExhausted : INVALID_PARAMS;
}
