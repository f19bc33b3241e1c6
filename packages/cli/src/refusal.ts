import { Failure } from "./failure.ts";
import type { ErrorBody, Issue } from "./wire.ts";

/** Hints for error responses, by code. */
const NEXT: Record<string, string> = {
  unauthorized: "run `wellspring login`, or set WELLSPRING_API_KEY",
  rate_limited: "wait a moment and retry",
  not_found: "`wellspring list` shows existing ones",
};

/** A refusal of the API, with its details. */
export class Refusal extends Failure {
  readonly code: string;
  readonly status: number;
  readonly issues: readonly Issue[];

  constructor(status: number, { error, code, details }: ErrorBody, requestId: string | null) {
    const next = NEXT[code];
    const isFault = status >= 500 && requestId !== null;
    const issues = details?.issues ?? [];
    super(isFault ? `${error} (request ${requestId})` : error, {
      ...(next !== undefined && { next }),
      details: issues.flatMap((issue) => placeOf(issue) ?? []),
    });
    this.status = status;
    this.code = code;
    this.issues = issues;
  }
}

/** The error of an API response. */
export async function refusalOf(response: Response): Promise<Failure> {
  const text = await response.text();
  const requestId = response.headers.get("x-request-id");
  try {
    const body: ErrorBody = JSON.parse(text);
    if (typeof body.error === "string") return new Refusal(response.status, body, requestId);
  } catch {
    // Not a response of the platform.
  }
  return new Failure(`${response.url} returned ${response.status} without a reason`, {
    next: "is this the URL of a platform?",
  });
}

function placeOf({ file, line, column, text }: Issue): string | undefined {
  if (text === undefined) return undefined;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? text : `${place}: ${text}`;
}
