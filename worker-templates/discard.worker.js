/**
 * Discard the rest of a request or a response. Not awaited: the cancellation of one copy of a cloned body ends only
 * after the other copy is read.
 * @param {{ body?: ReadableStream | null } | undefined} message
 */
export function discard(message) {
  message?.body?.cancel().catch(() => {});
}
