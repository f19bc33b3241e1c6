import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** The behavior of a provider's token server: correct, or one of the ways in which real ones fail. */
export type Mood = "well" | "down" | "refusing";

/** The parameters of an authorization request, until its code is exchanged. */
type AuthorizationRequest = { challenge: string; redirectUri: string };

/**
 * A provider whose users sign in with a password and allow or deny. It follows the standards: a code works once, for
 * the holder of the verifier, and for the same redirect URI.
 */
export class Provider {
  mood: Mood = "well";
  /** The refresh tokens of all grants so far. */
  readonly granted: string[] = [];
  readonly #codes = new Map<string, AuthorizationRequest>();

  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "https://provider");
    if (url.pathname === "/token") return this.#exchange(request, response);
    if (url.pathname !== "/authorize") return void response.writeHead(404).end();
    const query = url.searchParams;
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("state", query.get("state") ?? "");
    const [allowed, denied] = [new URL(back), new URL(back)];
    allowed.searchParams.set("code", this.#newCode(query));
    denied.searchParams.set("error", "access_denied");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><title>Shop</title><h1>Sign in to Shop</h1>
      <a id="allow" href="${escaped(allowed)}">Allow</a> <a id="deny" href="${escaped(denied)}">Deny</a>`);
  };

  #newCode(query: URLSearchParams): string {
    const code = randomUUID();
    const challenge = query.get("code_challenge") ?? "";
    this.#codes.set(code, { challenge, redirectUri: query.get("redirect_uri") ?? "" });
    return code;
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = new URLSearchParams(await text(request));
    const [status, body] = this.mood === "down" ? [503, {}] : this.#tokensFor(sent);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  #tokensFor(sent: URLSearchParams): [status: number, body: object] {
    const code = sent.get("code") ?? "";
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = createHash("sha256").update(sent.get("code_verifier") ?? "");
    const isValid =
      pending?.challenge === verifier.digest("base64url") &&
      pending.redirectUri === sent.get("redirect_uri");
    if (!isValid || this.mood === "refusing") return [400, { error: "invalid_grant" }];
    const refreshToken = randomUUID();
    this.granted.push(refreshToken);
    const tokens = { access_token: randomUUID(), refresh_token: refreshToken, expires_in: 3600 };
    return [200, { ...tokens, token_type: "Bearer", scope: "read" }];
  }
}

function escaped(url: URL): string {
  return url.href.replaceAll("&", "&amp;");
}
