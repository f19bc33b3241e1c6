import { errorMessage } from "#domain/errors.ts";
import { abortAfter } from "#domain/timeout.ts";

import type { OutboundRequest } from "./side-effects.ts";

/** The header with the id of a message, which its repetitions share. */
const ID_HEADER = "x-wellspring-message-id";

const TOO_MANY_REQUESTS = 429;

/** Whether a message arrived; if not, whether to repeat it. */
export type SendResult = { ok: true } | { ok: false; message: string; mayRepeat: boolean };

/** Send a request of `$.send` once. Never rejects. */
export async function sendOutbound(
  egress: Fetcher,
  { id, ...request }: OutboundRequest & { id: string },
): Promise<SendResult> {
  const { method, url, timeoutMs } = request;
  const target = `${method} to ${new URL(url).origin}`;
  const { signal, clear } = abortAfter(timeoutMs);
  try {
    const status = await statusOf(egress, request, { id, signal });
    if (status < 400) return { ok: true };
    const mayRepeat = status >= 500 || status === TOO_MANY_REQUESTS;
    return { ok: false, message: `${target}: it responded with ${status}`, mayRepeat };
  } catch (error) {
    // After a timeout the receiver may have the request.
    const message = signal.aborted
      ? `it did not respond within ${timeoutMs / 1000} s`
      : errorMessage(error);
    return { ok: false, message: `${target}: ${message}`, mayRepeat: !signal.aborted };
  } finally {
    clear();
  }
}

async function statusOf(
  egress: Fetcher,
  { method, url, headers, body, isBase64 }: OutboundRequest,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<number> {
  const response = await egress.fetch(url, {
    method,
    headers: { [ID_HEADER]: id, ...headers },
    redirect: "manual",
    signal,
    ...(body !== null && { body: isBase64 ? Uint8Array.fromBase64(body) : body }),
  });
  await response.body?.cancel();
  return response.status;
}
