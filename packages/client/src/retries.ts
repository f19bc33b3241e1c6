/** The first delay between two attempts, unless the response states one; each further delay is twice as long. */
const FIRST_WAIT_MS = 500;

/** Maximum delay: beyond it the failure is returned at once. */
const MAX_WAIT_MS = 60_000;

/** Statuses of requests that the platform refuses without any effect, so any request can be repeated. */
const REFUSALS = new Set([429, 503]);

/** Statuses of requests that may have had effects, so only a read is repeated. */
const FAILURES = new Set([500, 502, 504, 507]);

type Fetch = (request: Request) => Promise<Response>;

/** A fetch that retries temporary failures, at most `retries` times, with the delay of `Retry-After`. */
export function retrying(fetch: Fetch, retries: number): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      // A body can be read only once.
      const outcome = await settled(fetch, attempt < retries ? request.clone() : request);
      const waitMs = attempt < retries ? waitBefore(request, outcome, attempt) : undefined;
      if (waitMs === undefined) return responseOf(outcome);
      if ("response" in outcome) await outcome.response.body?.cancel();
      await sleep(waitMs, request.signal);
    }
  };
}

type Outcome = { response: Response } | { error: unknown };

async function settled(fetch: Fetch, request: Request): Promise<Outcome> {
  try {
    return { response: await fetch(request) };
  } catch (error) {
    return { error };
  }
}

function responseOf(outcome: Outcome): Response {
  if ("error" in outcome) throw outcome.error;
  return outcome.response;
}

/** The delay before the next attempt in milliseconds; undefined if the outcome is final. */
function waitBefore(request: Request, outcome: Outcome, attempt: number): number | undefined {
  if (request.signal.aborted) return undefined;
  const isRead = request.method === "GET";
  const backoffMs = backoff(attempt);
  if ("error" in outcome) return isRead ? backoffMs : undefined;
  const { status, headers } = outcome.response;
  if (!isTransient(status, isRead)) return undefined;
  const waitMs = retryAfterMs(headers, Date.now()) ?? backoffMs;
  return waitMs <= MAX_WAIT_MS ? waitMs : undefined;
}

function isTransient(status: number, isRead: boolean): boolean {
  return REFUSALS.has(status) || (isRead && FAILURES.has(status));
}

/** The delay after consecutive failures, with jitter, so that clients do not retry simultaneously. */
export function backoff(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.5 + Math.random() / 2);
}

/** `Retry-After` in milliseconds: its value is seconds, or a date. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** Wait, and reject with the signal's reason once it aborts. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
  signal?.throwIfAborted();
}
