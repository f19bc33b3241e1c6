import { errorOf } from "@wellspring/client";

/** The current session, as `GET /console/session` returns it. */
export type Session = {
  id: string;
  user: { id: string; username: string; email: string } | null;
  is_operator: boolean;
  csrf_token: string;
  /** Epoch seconds. */
  expires_at: number;
  release: string;
};

/** The credentials of a sign-in: an API key, the admin token, or the secret of a link that works once. */
export type Credentials = { api_key: string } | { admin_token: string } | { link: string };

const PATH = "/console/session";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

let csrfToken: string | undefined;

/** The session of this browser; null if no user is signed in. */
export async function readSession(): Promise<Session | null> {
  const response = await fetch(PATH);
  if (response.status === 401) return null;
  return sessionFrom(response);
}

/** Exchanges credentials for a session. Rejects with a `WellspringError` if they are wrong. */
export async function signIn(credentials: Credentials): Promise<Session> {
  const headers = { "content-type": "application/json", ...csrfHeader() };
  return sessionFrom(
    await fetch(PATH, { method: "POST", headers, body: JSON.stringify(credentials) }),
  );
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  const response = await fetch(PATH, { method: "DELETE", headers: csrfHeader() });
  if (!response.ok && response.status !== 401) throw await errorOf(response);
  csrfToken = undefined;
}

/** `fetch` with the session's CSRF header for modifying requests. */
export function sessionFetch(request: Request): Promise<Response> {
  if (!SAFE_METHODS.has(request.method))
    for (const [name, value] of Object.entries(csrfHeader())) request.headers.set(name, value);
  return fetch(request);
}

function csrfHeader(): Record<string, string> {
  return csrfToken === undefined ? {} : { "x-csrf-token": csrfToken };
}

async function sessionFrom(response: Response): Promise<Session> {
  if (!response.ok) throw await errorOf(response);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the platform that served this page wrote it.
  const { data } = (await response.json()) as { data: Session };
  csrfToken = data.csrf_token;
  return data;
}
