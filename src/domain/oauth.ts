import { UNCOMPRESSED } from "./body.ts";

/** The token endpoint and the client credentials that refresh access tokens of an app's accounts. */
export type TokenClient = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** The place of the client's id and secret in a request (RFC 6749, 2.3.1). */
  authentication: "body" | "basic";
};

/** Tokens from a token server. `expiresIn`: seconds; null if it named none. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  expiresIn: number | null;
};

/** Tokens for a code, the granted scopes, and the id of their account, as far as the server names them. */
export type Grant = Tokens & { scopes: string[] | null; externalId: string | null };

/** The headers and the body of a request for a new access token (RFC 6749, 6). */
export function refreshRequest(
  client: TokenClient,
  refreshToken: string,
): { headers: Record<string, string>; body: string } {
  return clientRequest(client, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** The headers and the body of a client's request to its token server. */
export function clientRequest(
  { clientId, clientSecret, authentication }: TokenClient,
  fields: Record<string, string>,
): { headers: Record<string, string>; body: string } {
  const form = new URLSearchParams(fields);
  const headers: Record<string, string> = {
    ...UNCOMPRESSED,
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

/** Read the granted tokens and scopes of a code. */
export function readGrant(text: string): Grant | undefined {
  const tokens = readTokens(text);
  if (!tokens) return undefined;
  const fields = fieldsIn(text);
  const scope = fields.get("scope");
  const scopes = typeof scope === "string" ? scope.split(/[\s,]+/).filter(Boolean) : null;
  const ids = EXTERNAL_IDS.map((path) => idAt(fields, path));
  return { ...tokens, scopes, externalId: ids.find((id) => id !== null) ?? null };
}

/** Fields of providers' responses that name their account, the most specific first. */
const EXTERNAL_IDS = [
  "team.id",
  "stripe_user_id",
  "workspace_id",
  "hub_id",
  "account_id",
  "user_id",
  "user.id",
];

const MAX_EXTERNAL_ID = 250;

function idAt(fields: Map<string, unknown>, path: string): string | null {
  const [first = "", inner] = path.split(".");
  const outer = fields.get(first);
  const value =
    inner === undefined ? outer : Object.entries(outer ?? {}).find(([name]) => name === inner)?.[1];
  const isId = typeof value === "number" || (typeof value === "string" && value !== "");
  return isId ? String(value).slice(0, MAX_EXTERNAL_ID) : null;
}

/** The error code in an error response (RFC 6749, 5.2). Nothing else of it is passed on: it might contain a secret. */
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
