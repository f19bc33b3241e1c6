import { abortAfter } from "#domain/timeout.ts";

import type { OutboundRequest } from "./side-effects.ts";

/** Maximum time of the receiver. */
const RESPONSE_DEADLINE_MS = 30_000;

/** Temporary refusals; every other one is final. */
const PASSING = new Set([408, 425, 429]);

async function withDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, clear } = abortAfter(RESPONSE_DEADLINE_MS);
  try {
    return await work(signal);
  } finally {
    clear();
  }
}

/**
 * Send a request of `$.send` once. Returns the reason of a permanent failure, else null; throws if it may be retried.
 */
export async function sendOutbound(
  egress: Fetcher,
  { method, url, headers, body, isBase64 }: OutboundRequest,
): Promise<string | null> {
  const status = await withDeadline(async (signal) => {
    const response = await egress.fetch(url, {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body !== null && { body: isBase64 ? Uint8Array.fromBase64(body) : body }),
    });
    await response.body?.cancel();
    return response.status;
  });
  const { origin } = new URL(url);
  if (status >= 500 || PASSING.has(status)) throw new Error(`${origin} responded with ${status}`);
  return status < 400 ? null : `${method} to ${origin}: it responded with ${status}`;
}
