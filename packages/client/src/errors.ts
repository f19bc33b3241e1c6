/** The body of a failure. Servers in between may send any other body. */
type FailureBody = { error?: unknown; code?: unknown; details?: unknown };

type Failure = {
  code: string;
  status: number;
  requestId: string | undefined;
  details: Record<string, unknown> | undefined;
};

/** An unsuccessful response. */
export class WellspringError extends Error {
  override readonly name = "WellspringError";
  /** The code of the failure, such as `not_found`; `unknown` if the response did not come from the API. */
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the request in the logs of the platform. */
  readonly requestId: string | undefined;
  /** Further details of the failure, such as `issues`. */
  readonly details: Record<string, unknown> | undefined;

  constructor(message: string, { code, status, requestId, details }: Failure) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
  }
}

/** The error of a response. Reads its body. */
export async function errorOf(response: Response): Promise<WellspringError> {
  const { status, statusText, headers } = response;
  const { error, code, details } = parsed(await response.text());
  const message = typeof error === "string" ? error : `HTTP ${status} ${statusText}`.trim();
  return new WellspringError(message, {
    code: typeof code === "string" ? code : "unknown",
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    details: isObject(details) ? details : undefined,
  });
}

function parsed(text: string): FailureBody {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
