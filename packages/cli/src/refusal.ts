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
    const lines = issues.flatMap((issue) => placeOf(issue) ?? []);
    const message = lines.length > 0 ? withoutPlaces(error) : error;
    super(isFault ? `${message} (request ${requestId})` : message, {
      ...(next !== undefined && { next }),
      details: lines,
    });
    this.status = status;
    this.code = code;
    this.issues = issues;
  }

  /** The details, each with the line of code that it is about. */
  detailsIn(files: Record<string, string>): string[] {
    return this.issues.flatMap((issue) => {
      const { file = "", line = 0 } = issue;
      const code = files[file]?.split("\n")[line - 1]?.trim();
      return [placeOf(issue) ?? [], code ? `${line} | ${code}` : []].flat();
    });
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

/** A sentence about code without the places in it, which the details have, and without the name of the request's field. */
function withoutPlaces(error: string): string {
  const [, problem] = /^\w+: the component (does not [\w ]+): /.exec(error) ?? [];
  return problem === undefined ? error : `The component ${problem}`;
}

function placeOf({ file, line, column, text }: Issue): string | undefined {
  if (text === undefined) return undefined;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? text : `${place}: ${text}`;
}
