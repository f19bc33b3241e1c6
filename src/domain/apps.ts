import type { Credentials } from "./accounts.ts";
import { filledBase } from "./app-templates.ts";
import type { AppSettings, ScopeProfile } from "./connect/app-settings.ts";
import type { PropDefinition } from "./definition.ts";

/** A form field for connecting an account of an app; components read it by its name in `$auth`. */
export type AppField = {
  name: string;
  label: string;
  description?: string | undefined;
  /** Whether the entered value is never shown. */
  secret: boolean;
  optional: boolean;
  default?: string | undefined;
  placeholder?: string | undefined;
};

/** The settings of an app's OAuth authorization (RFC 6749, 4.1). The client is stored apart from it. */
export type AppOauth = {
  /** May be a template, if each user of the app has a host of their own, which they type before they sign in. */
  authorizeUrl: string;
  tokenUrl: string;
  /** The URL that refreshes tokens, if it is another one. */
  refreshUrl?: string | undefined;
  /** The URL that revokes tokens (RFC 7009), if the provider has one. */
  revokeUrl?: string | undefined;
  scopes: string[];
  scopeSeparator: string;
  /** Named subsets of the scopes, one of which a link may request. */
  scopeProfiles: Partial<Record<ScopeProfile, string[]>>;
  /** Further parameters of the authorization request. */
  parameters: Record<string, string>;
  /** Whether a code challenge is sent (RFC 7636). */
  pkce: boolean;
  authentication: "body" | "basic";
  tokenRequest: TokenRequestStyle;
  /** Further credentials, by the name under which components read them. */
  credentials: Record<string, ReturnedCredential>;
};

/** The provider's own way of token requests: further parameters, and the encoding of the body. */
export type TokenRequestStyle = { parameters: Record<string, string>; body: "form" | "json" };

/**
 * A credential from a path in the token response (`token.team.id`), or from the query of the callback
 * (`query.realmId`). `hosts`: patterns of the hosts that it may name, because requests go to it.
 */
export type ReturnedCredential = { from: string; hosts?: string[] | undefined };

/** A request with an account's credentials: its values have `{{name}}` as a placeholder of a credential. */
export type AppRequest = {
  /** The base of relative URLs; may be a template if users of the app have hosts of their own. */
  baseUrl?: string | undefined;
  /** The hosts that credentials may be sent to, beside that of the base URL; `*.example.com`: all below it. */
  hosts: string[];
  headers: Record<string, string>;
  query: Record<string, string>;
  /** Templates of the user and the password of HTTP authentication (RFC 7617). */
  basic?: { username: string; password: string } | undefined;
};

/**
 * A request that only succeeds with valid credentials. `expect`: values that its JSON body must have, because the
 * provider refuses credentials with status 200. `accountName`: the path of a name for the account in its body.
 */
export type AppTest = {
  url: string;
  expect?: Record<string, string | number | boolean> | undefined;
  accountName?: string | undefined;
};

/** A service with accounts of users, which components use by an app prop. */
export type App = {
  slug: string;
  name: string;
  authType: "keys" | "oauth" | "none";
  description: string;
  imgSrc: string;
  fields: AppField[];
  categories: string[];
  featuredWeight: number;
  oauth?: AppOauth | undefined;
  test?: AppTest | undefined;
  request: AppRequest;
  /** The apps whose OAuth client serves it too, itself first. */
  siblings: string[];
};

/** An app, by the fields of `$auth` that its components read, and the operator's settings, which take precedence. */
export function appOf(slug: string, read: readonly string[], settings: AppSettings = {}): App {
  const derived = derivedFrom(read);
  const { auth_type: authType = settings.oauth ? "oauth" : derived.authType } = settings;
  return {
    slug,
    ...shownOf(slug, settings),
    authType,
    fields: settings.fields?.map(labelled) ?? derived.fields,
    oauth: settings.oauth && oauthOf(settings.oauth),
    test: settings.test && testOf(settings.test),
    request: requestOf(authType, settings.request),
    siblings: [slug],
  };
}

function shownOf(
  slug: string,
  {
    name = nameOf(slug),
    description = "",
    img_src: imgSrc = "",
    categories = [],
    featured_weight: featuredWeight = 0,
  }: AppSettings,
) {
  return { name, description, imgSrc, categories, featuredWeight };
}

function labelled(field: NonNullable<AppSettings["fields"]>[number]): AppField {
  return { ...field, label: field.label ?? nameOf(field.name) };
}

/** The fields of `$auth` that a component's code reads by a prop, as reported by its isolate, which is not trusted. */
export function authReads(prop: PropDefinition): string[] {
  const names = Array.isArray(prop["auth"]) ? prop["auth"] : [];
  return names.filter((name) => typeof name === "string").slice(0, 50);
}

/** Props of a configuration, with the known reads of `$auth` of declared ones if their isolate did not see them. */
export function withReadsOf(
  declared: readonly PropDefinition[],
  props: readonly PropDefinition[],
): PropDefinition[] {
  const known = new Map(declared.map((prop) => [prop.name, authReads(prop)]));
  return props.map((prop) => {
    const auth = known.get(prop.name) ?? [];
    return auth.length > 0 && authReads(prop).length === 0 ? { ...prop, auth } : prop;
  });
}

/** Whether accounts of an app have credentials, so that everything that uses the app needs one. */
export function needsAccount({ authType, fields }: Pick<App, "authType" | "fields">): boolean {
  if (authType !== "keys") return authType === "oauth";
  return fields.length === 0 || fields.some(({ optional }) => !optional);
}

/** Whether credentials may be sent to a host: it is the base URL's, or one that the app names. */
export function mayReceive(request: AppRequest, credentials: Credentials, url: URL): boolean {
  const base = request.baseUrl && filledBase(request.baseUrl, credentials);
  const hosts = [...request.hosts, ...(base && URL.canParse(base) ? [new URL(base).host] : [])];
  return hosts.some((host) =>
    host.startsWith("*.") ? url.hostname.endsWith(host.slice(1)) : url.host === host,
  );
}

const ACCESS_TOKEN = "oauth_access_token";

/** Among reads of `$auth`: the code passes on all of it, so that the names are not known. */
export const ALL_AUTH = "*";

/** Code that lists the names of credentials. */
const LISTED_AUTH =
  /\b(?:Object\.(?:keys|getOwnPropertyNames)|Reflect\.ownKeys)\s*\(\s*[\w$.?\s]*\$auth\s*\)/g;

/** Comments, which the compiler keeps inside objects: those of generated files mention `$auth`. */
const COMMENTS = /(?<=^|[\s;,(){}])(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g;

/** Whether a module's code mentions `$auth` other than to list the names in it. */
export function readsAuth(code: string): boolean {
  return /\$auth\b/.test(code.replaceAll(COMMENTS, "").replaceAll(LISTED_AUTH, ""));
}

/** Fields of `$auth` that no user enters. */
const NOT_FILLED_IN = new Set([
  ACCESS_TOKEN,
  "oauth_refresh_token",
  "oauth_uid",
  "oauth_client_id",
]);

function derivedFrom(read: readonly string[]): Pick<App, "authType" | "fields"> {
  const names = [...new Set(read)].filter((name) => !NOT_FILLED_IN.has(name) && name !== ALL_AUTH);
  const isOauth = read.includes(ACCESS_TOKEN);
  return {
    authType: isOauth ? "oauth" : read.length > 0 ? "keys" : "none",
    fields: names.map((name) => ({
      name,
      label: nameOf(name),
      secret: /key|token|secret|password|pass$/i.test(name),
      optional: false,
    })),
  };
}

/** The settings of signing in that an app does not state. */
const OAUTH_DEFAULTS = {
  scopes: [],
  scope_profiles: {},
  scope_separator: " ",
  parameters: {},
  token_parameters: {},
  token_body: "form",
  pkce: true,
  client_authentication: "body",
  credentials: {},
} as const;

/** The settings of signing in; undefined: they lack a URL. */
export function oauthOf(settings: NonNullable<AppSettings["oauth"]>): AppOauth | undefined {
  const { authorize_url: authorizeUrl, token_url: tokenUrl } = settings;
  if (authorizeUrl === undefined || tokenUrl === undefined) return undefined;
  const oauth = { ...OAUTH_DEFAULTS, ...stated(settings) };
  return {
    authorizeUrl,
    tokenUrl,
    refreshUrl: oauth.refresh_url,
    revokeUrl: oauth.revoke_url,
    scopes: [...oauth.scopes],
    scopeProfiles: oauth.scope_profiles,
    scopeSeparator: oauth.scope_separator,
    parameters: oauth.parameters,
    pkce: oauth.pkce,
    authentication: oauth.client_authentication,
    tokenRequest: { parameters: oauth.token_parameters, body: oauth.token_body },
    credentials: oauth.credentials,
  };
}

/** The fields with a value. */
function stated<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, without undefined values.
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function testOf({ account_name, ...same }: NonNullable<AppSettings["test"]>): AppTest {
  return { ...same, accountName: account_name };
}

function requestOf(authType: App["authType"], request: AppSettings["request"] = {}): AppRequest {
  const { base_url: baseUrl, hosts = [], headers = {}, query = {}, basic } = request;
  const isDeclared = basic || Object.keys(headers).length + Object.keys(query).length > 0;
  const bearer = authType === "oauth" ? { authorization: `Bearer {{${ACCESS_TOKEN}}}` } : {};
  return { baseUrl, hosts, headers: isDeclared ? headers : bearer, query, basic };
}

/** A slug as a title: `api_key` becomes Api Key. */
export function nameOf(slug: string): string {
  const words = slug.split(/[_-]+/).filter(Boolean);
  return words.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join(" ");
}
