/** The token endpoint and the client credentials by which accounts of an app get new access tokens. */
export type TokenClient = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** Where the client's id and secret are in a request (RFC 6749, 2.3.1). */
  authentication: "body" | "basic";
};

/** Tokens from a token server. `expiresIn`: seconds; null if it named none. */
export type Tokens = { accessToken: string; refreshToken: string | null; expiresIn: number | null };

/** The headers and the body that ask for a new access token (RFC 6749, 6). */
export function refreshRequest(
  { clientId, clientSecret, authentication }: TokenClient,
  refreshToken: string,
): { headers: Record<string, string>; body: string } {
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (authentication === "basic") {
    const both = [clientId, clientSecret].map((text) => formEncoded(text)).join(":");
    headers["authorization"] = `Basic ${btoa(both)}`;
  } else {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
  return { headers, body: form.toString() };
}

/** Read the tokens in a response, which is JSON or, with some providers, a form. Undefined: there are none. */
export function readTokens(text: string): Tokens | undefined {
  const fields = fieldsIn(text);
  const accessToken = fields.get("access_token");
  if (typeof accessToken !== "string" || accessToken === "") return undefined;
  const refreshToken = fields.get("refresh_token");
  const seconds = Math.floor(Number(fields.get("expires_in") ?? Number.NaN));
  return {
    accessToken,
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : null,
    expiresIn: Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null,
  };
}

/** The error code in an error response (RFC 6749, 5.2). Nothing else of it is passed on: it might hold a secret. */
export function errorCodeIn(text: string): string | undefined {
  const code = fieldsIn(text).get("error");
  return typeof code === "string" && /^[a-z_]{1,64}$/.test(code) ? code : undefined;
}

function fieldsIn(text: string): Map<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return new Map(Object.entries(typeof parsed === "object" && parsed !== null ? parsed : {}));
  } catch {
    return new Map(new URLSearchParams(text));
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
