import { readAtMost } from "#domain/body.ts";
import {
  errorCodeIn,
  readTokens,
  refreshRequest,
  type TokenClient,
  type Tokens,
} from "#domain/oauth.ts";
import { abortAfter } from "#domain/timeout.ts";
import { type Network, networkFetch } from "#sandbox/egress/network.ts";

/** New tokens, or why there are none. `final`: asking again would not help. */
export type Exchanged =
  | { ok: true; tokens: Tokens }
  | { ok: false; reason: string; isFinal: boolean };

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Waits before another attempt where a token server has trouble of its own. */
const RETRY_WAITS_MS = [250, 1000];

/** Exchange a refresh token for new tokens. Resolves whatever goes wrong; says nothing of what was sent. */
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
    // A redirect could lead where token URLs may not point, and would take the secret along.
    const options = { ...init, redirect: "manual", signal } as const;
    return await verdictOn(await networkFetch(new Request(client.tokenUrl, options), network));
  } catch {
    const reason = signal.aborted
      ? `the token server did not answer within ${TIMEOUT_MS / 1000} s`
      : "the token server could not be reached";
    return { ok: false, reason, isFinal: false };
  } finally {
    clear();
  }
}

async function verdictOn(response: Response): Promise<Exchanged> {
  const { status, ok } = response;
  const text = await textOf(response);
  // Some providers say 200 and refuse all the same.
  const code = errorCodeIn(text);
  const answered = `the token server answered ${status}`;
  const isFinal = status < 500 && status !== 429;
  if (code !== undefined) return { ok: false, reason: `${answered} ${code}`, isFinal };
  if (!ok) return { ok: false, reason: answered, isFinal };
  const tokens = readTokens(text);
  return tokens ? { ok, tokens } : { ok: false, reason: `${answered} without a token`, isFinal };
}

async function textOf(response: Response): Promise<string> {
  const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
  if (!bytes) await response.body?.cancel();
  return new TextDecoder().decode(bytes);
}
