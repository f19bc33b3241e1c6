import { type ForeignResponse, readAtMost } from "#domain/body.ts";
import {
  errorCodeIn,
  readTokens,
  refreshRequest,
  type TokenClient,
  type Tokens,
} from "#domain/oauth.ts";
import { abortAfter } from "#domain/timeout.ts";
import { type Network, networkFetch } from "#sandbox/egress/network.ts";

/**
 * New tokens, or the reason why there are none. `isFinal`: a retry would not help. `isRevoked`: no retry ever will,
 * because the user or the provider revoked the grant (RFC 6749, 5.2).
 */
export type Exchanged =
  | { ok: true; tokens: Tokens }
  | { ok: false; reason: string; isFinal: boolean; isRevoked: boolean };

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Delays before the retries after a fault of the token server. */
const RETRY_WAITS_MS = [250, 1000];

/** Exchange a refresh token for new tokens. Resolves on any failure; its messages contain no credentials. */
export async function exchange(
  client: TokenClient,
  refreshToken: string,
  network: Network,
): Promise<Exchanged> {
  let exchanged = await attempt(client, refreshToken, network);
  for (const waitMs of RETRY_WAITS_MS) {
    if (exchanged.ok || exchanged.isFinal) break;
    await scheduler.wait(waitMs);
    exchanged = await attempt(client, refreshToken, network);
  }
  return exchanged;
}

async function attempt(
  client: TokenClient,
  refreshToken: string,
  network: Network,
): Promise<Exchanged> {
  const init = { method: "POST", ...refreshRequest(client, refreshToken) };
  const { signal, clear } = abortAfter(TIMEOUT_MS);
  try {
    // A redirect could lead to an address that token URLs may not have, and would send the secret there.
    const options = { ...init, redirect: "manual", signal } as const;
    return await exchangedIn(await networkFetch(new Request(client.tokenUrl, options), network));
  } catch {
    const reason = signal.aborted
      ? `the token server did not respond within ${TIMEOUT_MS / 1000} s`
      : "the token server could not be reached";
    return { ok: false, reason, isFinal: false, isRevoked: false };
  } finally {
    clear();
  }
}

async function exchangedIn(response: ForeignResponse): Promise<Exchanged> {
  const { status, ok } = response;
  const text = await textOf(response);
  // Some providers return status 200 with an error.
  const code = errorCodeIn(text);
  const responded = `the token server responded with ${status}`;
  const refusal = {
    ok: false,
    isFinal: status < 500 && status !== 429,
    isRevoked: code === "invalid_grant",
  } as const;
  if (code !== undefined) return { ...refusal, reason: `${responded} ${code}` };
  if (!ok) return { ...refusal, reason: responded };
  const tokens = readTokens(text);
  return tokens ? { ok, tokens } : { ...refusal, reason: `${responded} without a token` };
}

async function textOf(response: ForeignResponse): Promise<string> {
  const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
  if (!bytes) await response.body?.cancel();
  return new TextDecoder().decode(bytes);
}
