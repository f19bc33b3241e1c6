import { retryAfter } from "#domain/retries.ts";

/** The result of a call to Cloudflare's API, by the next action. */
export type ApiReply =
  | { kind: "ok"; result: unknown; cursor: string }
  /** There is no such script or namespace. */
  | { kind: "missing"; message: string }
  /** Permanent: a retry would fail, too. */
  | { kind: "refused"; message: string; isTooLarge: boolean }
  /** The outcome is unknown or may change; `afterMs`: retry no sooner than that. */
  | { kind: "again"; message: string; afterMs?: number };

type Envelope = {
  success: boolean;
  errors: { code: number; message: string }[];
  result: unknown;
  cursor: string;
};

/** Codes of the API for a script beyond the accepted size. */
const TOO_LARGE = new Set([10_027, 100_329]);

/** The delay after a 429 without `Retry-After`: the limit is counted over 5 minutes. */
const DEFAULT_PAUSE_MS = 30_000;

/** Read a response of the API. One without the documented envelope leaves the outcome of the call unknown. */
export function readReply(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  nowMs: number,
): ApiReply {
  const envelope = envelopeIn(text);
  const message = explain(status, envelope);
  if (status === 429) return { kind: "again", message, afterMs: pauseIn(headers, nowMs) };
  if (envelope === undefined) return { kind: "again", message };
  if (envelope.success && status < 300)
    return { kind: "ok", result: envelope.result, cursor: envelope.cursor };
  if (isPassing(status)) return { kind: "again", message };
  if (status === 404) return { kind: "missing", message };
  const isTooLarge = status === 413 || envelope.errors.some(({ code }) => TOO_LARGE.has(code));
  return { kind: "refused", message, isTooLarge };
}

function pauseIn(headers: Headers, nowMs: number): number {
  const atMs = retryAfter(headers.get("retry-after"), nowMs);
  return atMs === undefined ? DEFAULT_PAUSE_MS : atMs - nowMs;
}

/** Conflicts with another change, timeouts, server errors, and successful responses that deny success. */
function isPassing(status: number): boolean {
  return status === 409 || status === 408 || status >= 500 || status < 300;
}

function explain(status: number, envelope: Envelope | undefined): string {
  const errors = envelope?.errors.map(({ code, message }) => `${message} (${code})`) ?? [];
  return `Cloudflare's API responded with ${status}${errors.length > 0 ? `: ${errors.join("; ")}` : ""}`;
}

function envelopeIn(text: string): Envelope | undefined {
  const body = parse(text);
  if (!isRecord(body) || typeof body["success"] !== "boolean") return undefined;
  const info = body["result_info"];
  const cursor = isRecord(info) && typeof info["cursor"] === "string" ? info["cursor"] : "";
  const listed: unknown[] = Array.isArray(body["errors"]) ? body["errors"] : [];
  const errors = listed.filter(isRecord).map(({ code, message }) => ({
    code: Number(code),
    message: String(message),
  }));
  return { success: body["success"], errors, result: body["result"], cursor };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of the API has members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
