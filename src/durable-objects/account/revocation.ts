import { revocationRequest, type RevocableToken, type TokenClient } from "#domain/oauth.ts";
import { type Network, networkFetch } from "#sandbox/egress/network.ts";

/** The outcome of a revocation, as it is logged. `none`: there is no token, or no URL that revokes it. */
export type Revocation = {
  outcome: "none" | "revoked" | "refused" | "unreachable" | "timed out" | "failed";
  /** The status of the provider's response. */
  status?: number;
  error?: unknown;
};

/** The network of a revocation, and the signal that ends it. */
type Means = { network: Network; signal: AbortSignal };

const RETRY_WAIT_MS = 250;

/** Revoke a token at a URL (RFC 7009), in a second attempt after a fault of the server or the network. */
export async function revokeToken(
  client: TokenClient & { revokeUrl: string },
  token: RevocableToken,
  means: Means,
): Promise<Revocation> {
  const request = { url: client.revokeUrl, ...revocationRequest(client, token) };
  const revocation = await attempt(request, means);
  const { outcome, status = 0 } = revocation;
  if (outcome !== "unreachable" && status < 500) return revocation;
  await scheduler.wait(RETRY_WAIT_MS, { signal: means.signal });
  return attempt(request, means);
}

async function attempt(
  { url, ...init }: { url: string; headers: Record<string, string>; body: string },
  { network, signal }: Means,
): Promise<Revocation> {
  try {
    // A redirect could lead to an address that token URLs may not have, and would send the secret there.
    const options = { ...init, method: "POST", redirect: "manual", signal } as const;
    const { ok, status, body } = await networkFetch(new Request(url, options), network);
    await body?.cancel();
    return { outcome: ok ? "revoked" : "refused", status };
  } catch {
    // The error may quote the URL, which may have credentials in it.
    return { outcome: "unreachable" };
  }
}
