import { testOutcome } from "#domain/app-test.ts";
import type { AppTest } from "#domain/apps.ts";
import { codeRequest } from "#domain/authorization.ts";
import { readAtMost } from "#domain/body.ts";
import { errorCodeIn, type Grant, readGrant, type TokenClient } from "#domain/oauth.ts";
import { abortAfter } from "#domain/timeout.ts";
import { guardedFetch } from "#sandbox/egress/guarded-fetch.ts";

import type { AppContext } from "../context.ts";

/** Short, because a person waits for the provider's response. */
const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

type Guarded = Pick<AppContext, "allowPrivateTargets">;
type ProviderResponse = { status: number; text: string };

/** The grant for an authorization code, or the reason of a refusal, as a phrase that follows the provider's name. */
export async function requestGrant(
  ctx: Guarded,
  client: TokenClient,
  code: { code: string; redirectUri: string; verifier: string | undefined },
): Promise<{ ok: true; grant: Grant } | { ok: false; reason: string }> {
  const init = { method: "POST", ...codeRequest(client, code) };
  const answer = await send(ctx, client.tokenUrl, init);
  if ("reason" in answer) return { ok: false, ...answer };
  const error = errorCodeIn(answer.text);
  const grant = readGrant(answer.text);
  if (isOk(answer) && error === undefined && grant) return { ok: true, grant };
  return { ok: false, reason: refusalOf(answer, error) };
}

/**
 * Send a request with a user's keys: whether the provider accepts them, with the name of their account if its response
 * has one, or its refusal, as a phrase after its name.
 */
export async function tryKeys(
  ctx: Guarded,
  { url, ...init }: { url: string; method: string; headers: Record<string, string> },
  test: Pick<AppTest, "accountName" | "expect">,
): Promise<{ ok: true; name?: string } | { ok: false; reason: string }> {
  const answer = await send(ctx, url, init);
  if ("reason" in answer) return { ok: false, ...answer };
  const { isAccepted, name } = testOutcome(test, answer.text);
  if (isOk(answer) && isAccepted) return { ok: true, ...(name !== undefined && { name }) };
  const isRefused = isOk(answer) || [400, 401, 403].includes(answer.status);
  const reason = isRefused
    ? "does not accept these details"
    : `responded with ${answer.status} when these details were tried`;
  return { ok: false, reason };
}

function isOk({ status }: ProviderResponse): boolean {
  return status >= 200 && status < 300;
}

function refusalOf({ status }: ProviderResponse, error: string | undefined): string {
  if (error !== undefined) return `refused to complete the sign-in (${error})`;
  if (status >= 500) return `has trouble of its own (${status})`;
  return isOk({ status, text: "" })
    ? "sent a response without an access token"
    : `refused to complete the sign-in (${status})`;
}

/** Never rejects. The reason contains no part of the request. */
async function send(
  { allowPrivateTargets: allowPrivate }: Guarded,
  url: string,
  init: RequestInit,
): Promise<ProviderResponse | { reason: string }> {
  const { signal, clear } = abortAfter(TIMEOUT_MS);
  try {
    // A redirect could lead to a target that such URLs may not have, and would send the secret there.
    const request = new Request(url, { ...init, redirect: "manual", signal });
    const response = await guardedFetch(request, { allowPrivate });
    const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
    if (!bytes) await response.body?.cancel();
    return { status: response.status, text: new TextDecoder().decode(bytes) };
  } catch {
    return {
      reason: signal.aborted
        ? `did not respond within ${TIMEOUT_MS / 1000} seconds`
        : "could not be reached",
    };
  } finally {
    clear();
  }
}
