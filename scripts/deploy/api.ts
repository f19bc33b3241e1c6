import { Refusal } from "../local/refusal.ts";

/** One call of Cloudflare's API that did not succeed, with what there is to do about it. */
export class ApiFailure extends Refusal {
  readonly status: number;
  readonly codes: readonly number[];

  constructor(message: string, status: number, codes: readonly number[]) {
    super(message);
    this.status = status;
    this.codes = codes;
  }
}

/** Cloudflare's API v4 as seen by one token. `task` names what a call is for, and `needs` the permission it takes. */
export type Api = {
  get<T>(path: string, purpose: Purpose): Promise<T>;
  post<T>(path: string, body: object, purpose: Purpose): Promise<T>;
  put<T>(path: string, body: object, purpose: Purpose): Promise<T>;
};

/** What a call is for, as in "create the queue emissions", and the permission that a token needs for it. */
export type Purpose = { task: string; needs: string };

type Envelope<T> = { success: boolean; result: T; errors?: { code: number; message: string }[] };
type Call = { method: string; path: string; body?: object; purpose: Purpose };

/** The wait before each further try. */
const PAUSES_MS = [500, 2000, 5000];
const LONGEST_PAUSE_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Speak to Cloudflare's API, wherever wrangler would find it. */
export function openApi(token: string, base = apiBase(process.env), pauses = PAUSES_MS): Api {
  const ask = <T>(call: Call): Promise<T> => askPatiently<T>({ token, base, pauses }, call);
  return {
    get: (path, purpose) => ask({ method: "GET", path, purpose }),
    post: (path, body, purpose) => ask({ method: "POST", path, body, purpose }),
    put: (path, body, purpose) => ask({ method: "PUT", path, body, purpose }),
  };
}

function apiBase(environment: Record<string, string | undefined>): string {
  return environment["CLOUDFLARE_API_BASE_URL"] || "https://api.cloudflare.com/client/v4";
}

type Connection = { token: string; base: string; pauses: readonly number[] };

async function askPatiently<T>(connection: Connection, call: Call): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const pauseMs = connection.pauses[attempt];
    const response = await send(connection, call);
    if (pauseMs === undefined || !isWorthAnotherTry(response, call)) return read<T>(response, call);
    await response?.body?.cancel();
    const wished = Number(response?.headers.get("retry-after") ?? 0) * 1000;
    await new Promise((done) => setTimeout(done, Math.min(wished || pauseMs, LONGEST_PAUSE_MS)));
  }
}

/** The answer; undefined where there was none. */
async function send(
  { token, base }: Connection,
  { method, path, body }: Call,
): Promise<Response | undefined> {
  try {
    return await fetch(`${base}${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    return undefined;
  }
}

/** A create that failed half-way may have happened, so it is not sent twice: the next run looks first. */
function isWorthAnotherTry(response: Response | undefined, { method }: Call): boolean {
  if (response?.status === 429) return true;
  return method !== "POST" && (response === undefined || response.status >= 500);
}

async function read<T>(response: Response | undefined, { purpose }: Call): Promise<T> {
  if (!response) throw failure(purpose, 0, [], "it does not answer");
  const text = await response.text();
  const envelope = envelopeOf<T>(text);
  if (response.ok && envelope?.success) return envelope.result;
  const errors = envelope?.errors ?? [];
  const said = errors.map(({ message, code }) => `${message} (code ${code})`).join("; ");
  const codes = errors.map(({ code }) => code);
  throw failure(purpose, response.status, codes, said || `status ${response.status}`);
}

function envelopeOf<T>(text: string): Envelope<T> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(
  purpose: Purpose,
  status: number,
  codes: readonly number[],
  said: string,
): ApiFailure {
  const message = `Cloudflare's API did not ${purpose.task}: ${said}.\n${nextStep(purpose, status, codes)}`;
  return new ApiFailure(message, status, codes);
}

/** Codes by which the API says that a token may not do something. */
const TOKEN_CODES = new Set([1000, 9109, 10000, 10001]);
const R2_IS_OFF = 10042;

export function isTokenRefused({ status, codes }: Pick<ApiFailure, "status" | "codes">): boolean {
  return status === 401 || codes.some((code) => TOKEN_CODES.has(code));
}

function nextStep({ needs }: Purpose, status: number, codes: readonly number[]): string {
  const rerun = "then run the same command again; what is there already is kept";
  if (codes.includes(R2_IS_OFF))
    return `Enable R2 at https://dash.cloudflare.com/?to=/:account/r2, ${rerun}.`;
  if (isTokenRefused({ status, codes }) || status === 403)
    return `Give CLOUDFLARE_API_TOKEN the permission "${needs}", or log in with: npx wrangler login, ${rerun}.`;
  if (status === 429) return `Its rate limit lasts five minutes: wait, ${rerun}.`;
  if (status === 0 || status >= 500)
    return `Look at https://www.cloudflarestatus.com and at your network, ${rerun}.`;
  return `Put that right, ${rerun}.`;
}
