/** Cloudflare's messages when a request, or an object, has too many isolates at work. An error of theirs has no class. */
const MESSAGES = /dynamic worker concurrency limit exceeded|too many concurrent dynamic workers/i;

/** Whether the platform refused a call of an isolate because too many are at work: its code did not run. */
export function isIsolateLimit(error: unknown): boolean {
  return error instanceof Error && MESSAGES.test(error.message);
}
