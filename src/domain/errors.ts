import type { ResourceKind } from "./ids.ts";
import type { Json } from "./json.ts";

export type ErrorCode =
  | "invalid_input"
  | "unauthorized"
  | "forbidden"
  | "csrf"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "conflict"
  | "too_large"
  | "uri_too_long"
  | "headers_too_large"
  | "unsupported_media_type"
  | "invalid_component"
  | "invalid_configuration"
  | "hook_failed"
  | "overloaded"
  | "quota_exceeded"
  | "rate_limited"
  | "insufficient_storage"
  | "loop_detected"
  | "upstream_failed"
  | "upstream_timeout";

/** A failure the caller caused and can act on. Anything else thrown is a bug. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ErrorCode;
  readonly details: Record<string, Json> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, Json>) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The error for a resource that does not exist, or is hidden from the caller. */
export function notFound(kind: ResourceKind, id: string): RequestError {
  return new RequestError("not_found", `No ${kind} with id ${id}`);
}

/** The error for invalid input, with each field and the rule that it breaks. */
export function invalidInput(issues: readonly Issue[]): RequestError {
  const sentence = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new RequestError("invalid_input", sentence, {
    issues: issues.map(({ path, message }) => ({ path, message })),
  });
}

/** A broken rule: the field, and the expected value. */
export type Issue = { path: string; message: string };

/** The text of a thrown value: the message of an error, else the value as a string. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
