import { Refusal } from "../local/refusal.ts";

/** A failed call of Cloudflare's API, with the operator's next step. */
export class ApiFailure extends Refusal {
  readonly status: number;
  readonly codes: readonly number[];

  constructor(message: string, status: number, codes: readonly number[]) {
    super(message);
    this.status = status;
    this.codes = codes;
  }
}

/** Cloudflare's API v4 with one token. `task` names a call's purpose, and `needs` its permission. */
export type Api = {
  get<T>(path: string, purpose: Purpose): Promise<T>;
  /** The status of the response to one GET, regardless of its body; 0: none. */
  status(path: string): Promise<number>;
  /** A POST that may be sent again: it changes nothing. */
  query<T>(path: string, body: object, purpose: Purpose): Promise<T>;
  /** A POST that is resent only if its response got lost and `find` reports that it had no effect. */
  create<T>(path: string, body: object, purpose: Purpose, find: Find<T>): Promise<T>;
  put<T>(path: string, body: object, purpose: Purpose): Promise<T>;
  delete<T>(path: string, purpose: Purpose): Promise<T>;
};

/** The purpose of a call, as in "create the queue emissions", and the permission that a token needs for it. */
export type Purpose = { task: string; needs: string };

type Find<T> = () => Promise<T | undefined>;

/** The base URL of the API, the pauses between retries, and the timeout of a call. */
export type Reaching = { base?: string; pausesMs?: readonly number[]; timeoutMs?: number };

type Connection = { token: string } & Required<Reaching>;
type Envelope<T> = { success: boolean; result: T; errors?: { code: number; message: string }[] };
type Call<T> = { method: string; path: string; body?: object; purpose: Purpose; find?: Find<T> };

/** The result of a call. Status 0: no response, or a truncated one. */
type Reply = { status: number; text: string; retryAfterMs: number };
type Outcome<T> = { ok: true; result: T } | { ok: false; failure: ApiFailure };

const PAUSES_MS = [500, 2000, 5000];
const MAX_PAUSE_MS = 30_000;
const TIMEOUT_MS = 30_000;
const BASE = "https://api.cloudflare.com/client/v4";

/** A client of Cloudflare's API. It retries a failed call that may succeed the next time. */
export function openApi(token: string, reaching: Reaching = {}): Api {
  const { base = BASE, pausesMs = PAUSES_MS, timeoutMs = TIMEOUT_MS } = reaching;
  const connection = { token, base, pausesMs, timeoutMs };
  const retried = <T>(call: Call<T>): Promise<T> => callWithRetries<T>(connection, call);
  return {
    get: (path, purpose) => retried({ method: "GET", path, purpose }),
    status: async (path) => (await send(connection, { method: "GET", path })).status,
    query: (path, body, purpose) => retried({ method: "POST", path, body, purpose }),
    create: (path, body, purpose, find) => retried({ method: "POST", path, body, purpose, find }),
    put: (path, body, purpose) => retried({ method: "PUT", path, body, purpose }),
    delete: (path, purpose) => retried({ method: "DELETE", path, purpose }),
  };
}

async function callWithRetries<T>(connection: Connection, call: Call<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await send(connection, call);
    const outcome = read<T>(reply, call.purpose);
    if (outcome.ok) return outcome.result;
    const { failure } = outcome;
    if (!isPassing(failure)) throw failure;
    const found = await call.find?.();
    if (found !== undefined) return found;
    const pauseMs = connection.pausesMs[attempt];
    if (pauseMs === undefined) throw failure;
    const waitMs = Math.min(reply.retryAfterMs || pauseMs, MAX_PAUSE_MS);
    await new Promise((done) => setTimeout(done, waitMs));
  }
}

async function send<T>(
  { token, base, timeoutMs }: Connection,
  { method, path, body }: Pick<Call<T>, "method" | "path" | "body">,
): Promise<Reply> {
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${token}`,
        ...(!(body instanceof FormData) && { "content-type": "application/json" }),
      },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const retryAfterMs = Number(response.headers.get("retry-after") ?? 0) * 1000;
    return { status: response.status, text: await response.text(), retryAfterMs };
  } catch {
    return { status: 0, text: "", retryAfterMs: 0 };
  }
}

function read<T>({ status, text }: Reply, purpose: Purpose): Outcome<T> {
  const envelope = envelopeOf<T>(text);
  const isOk = status >= 200 && status <= 299;
  if (isOk && envelope?.success === true) return { ok: true, result: envelope.result };
  const errors = envelope?.errors ?? [];
  const explanation = errors.map(({ message, code }) => `${message} (code ${code})`).join("; ");
  const codes = errors.map(({ code }) => code);
  return {
    ok: false,
    failure: failureOf({ purpose, status, codes, explanation: explanation || wordsFor(status) }),
  };
}

function wordsFor(status: number): string {
  if (status === 0) return "it does not respond";
  return status <= 299 ? "it returned an invalid response" : `status ${status}`;
}

/** A response from another server, or a truncated one, has no envelope. */
function envelopeOf<T>(text: string): Envelope<T> | undefined {
  try {
    const envelope: Envelope<T> | null = JSON.parse(text);
    return typeof envelope?.success === "boolean" ? envelope : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a call may succeed on a retry, and may have taken effect already: its response is not final. */
function isPassing({ status }: ApiFailure): boolean {
  return status < 300 || [408, 409, 425, 429].includes(status) || status >= 500;
}

type Failed = { purpose: Purpose; status: number; codes: readonly number[]; explanation: string };

function failureOf({ purpose, status, codes, explanation }: Failed): ApiFailure {
  const message = `Cloudflare's API did not ${purpose.task}: ${explanation}.\n${nextStep(purpose, status, codes)}`;
  return new ApiFailure(message, status, codes);
}

/** Error codes for a token that lacks a permission or is invalid. */
const TOKEN_CODES = new Set([1000, 6003, 6111, 9106, 9109, 10000, 10001]);
const R2_IS_OFF = 10042;

export function isTokenRefused({ status, codes }: Pick<ApiFailure, "status" | "codes">): boolean {
  return status === 401 || codes.some((code) => TOKEN_CODES.has(code));
}

function nextStep({ needs }: Purpose, status: number, codes: readonly number[]): string {
  const rerun = "then run the same command again; existing resources stay";
  if (codes.includes(R2_IS_OFF))
    return `Enable R2 at https://dash.cloudflare.com/?to=/:account/r2, ${rerun}.`;
  if (isTokenRefused({ status, codes }) || status === 403)
    return (
      `Give CLOUDFLARE_API_TOKEN the permission "${needs}" on this account, or set CLOUDFLARE_ACCOUNT_ID to the ` +
      `token's account, or log in with: npx wrangler login, ${rerun}.`
    );
  if (status === 429) return `Its rate limit lasts five minutes: wait, ${rerun}.`;
  if (status < 300 || status >= 500)
    return `Check https://www.cloudflarestatus.com and your network, ${rerun}.`;
  return `Fix that, ${rerun}.`;
}
