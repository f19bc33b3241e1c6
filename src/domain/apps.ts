import { z } from "zod";

import type { Credentials } from "./accounts.ts";
import { hasHost } from "./address.ts";
import { filledBase } from "./app-templates.ts";
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
  authorizeUrl: string;
  tokenUrl: string;
  scopes: string[];
  /** Named subsets of the scopes, one of which a link may request. */
  scopeProfiles: Partial<Record<ScopeProfile, string[]>>;
  /** Further parameters of the authorization request. */
  parameters: Record<string, string>;
  /** Whether a code challenge is sent (RFC 7636). */
  pkce: boolean;
  authentication: "body" | "basic";
};

/** The names of scope profiles that Pipedream's clients know. */
export type ScopeProfile = (typeof SCOPE_PROFILES)[number];
const SCOPE_PROFILES = ["read_only", "read_write", "admin"] as const;

/** A request with an account's credentials: its values have `{{name}}` as a placeholder of a credential. */
export type AppRequest = {
  /** The base of relative URLs; may be a template if users of the app have hosts of their own. */
  baseUrl?: string | undefined;
  /** The hosts that credentials may be sent to, beside that of the base URL; `*.example.com`: all below it. */
  hosts: string[];
  headers: Record<string, string>;
  query: Record<string, string>;
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
  /** A request that succeeds with valid credentials: its URL, and its authorization. */
  test?: { url: string } | undefined;
  request: AppRequest;
};

/** Optional settings of an app. */
export type AppSettings = z.output<typeof AppSettings>;

const Slug = /^[a-z0-9_][a-z0-9_-]{0,99}$/;
const Template = z.string().max(4000);
const Name = z.string().regex(/^[A-Za-z_$][\w$]{0,99}$/, "must be a name as in code");
const HttpUrl = z
  .url({ protocol: /^https?$/, hostname: /./, error: "must be a URL" })
  .refine(hasHost, "must be a URL with a host")
  .max(2000);

const Scopes = z.array(z.string().min(1).max(400)).max(200);

/** Settings of a field, without defaults, so that they can override others. */
export const AppFieldSettings = z.strictObject({
  name: Name,
  label: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).optional(),
  secret: z.boolean().optional(),
  optional: z.boolean().optional(),
  default: z.string().max(4000).optional(),
  placeholder: z.string().max(400).optional(),
});

const Field = AppFieldSettings.extend({
  secret: z.boolean().default(true),
  optional: z.boolean().default(false),
});

/** Settings of an app's OAuth authorization. */
export const AppOauthSettings = z.strictObject({
  authorize_url: HttpUrl,
  token_url: HttpUrl,
  scopes: Scopes.default([]),
  scope_profiles: z.partialRecord(z.enum(SCOPE_PROFILES), Scopes).default({}),
  parameters: z.record(z.string().max(100), z.string().max(400)).default({}),
  pkce: z.boolean().default(true),
  client_authentication: z.enum(["body", "basic"]).default("body"),
});

export const AppTest = z.strictObject({ url: Template });

/** An operator's settings of an app. Unknown fields are rejected: they would have no effect. */
export const AppSettings = z.strictObject({
  name: z.string().trim().min(1).max(200).optional(),
  auth_type: z.enum(["keys", "oauth", "none"]).optional(),
  description: z.string().max(4000).optional(),
  img_src: z.string().max(100_000).optional(),
  categories: z.array(z.string().trim().min(1).max(100)).max(20).optional(),
  featured_weight: z.int().min(0).optional(),
  fields: z
    .array(Field)
    .max(50)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, {
      message: "must have names that differ",
    })
    .optional(),
  oauth: AppOauthSettings.optional(),
  test: AppTest.optional(),
  request: z
    .strictObject({
      base_url: Template.optional(),
      hosts: z
        .array(
          z
            .string()
            .regex(/^(?:\*\.)?[a-z0-9.-]+(?::\d+)?$/, "must be a host, such as api.example.com"),
        )
        .max(50)
        .default([]),
      headers: z.record(z.string().max(100), Template).default({}),
      query: z.record(z.string().max(100), Template).default({}),
    })
    .optional(),
});

/** Whether a text can be an app's slug. */
export function isSlug(text: string): boolean {
  return Slug.test(text);
}

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
    test: settings.test,
    request: requestOf(authType, settings.request),
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

function oauthOf(oauth: NonNullable<AppSettings["oauth"]>): AppOauth {
  const { authorize_url, token_url, client_authentication, scope_profiles, ...same } = oauth;
  return {
    ...same,
    scopeProfiles: scope_profiles,
    authorizeUrl: authorize_url,
    tokenUrl: token_url,
    authentication: client_authentication,
  };
}

function requestOf(authType: App["authType"], request: AppSettings["request"]): AppRequest {
  const bearer = authType === "oauth" ? { authorization: `Bearer {{${ACCESS_TOKEN}}}` } : {};
  if (!request) return { hosts: [], headers: bearer, query: {} };
  const { base_url: baseUrl, hosts, headers, query } = request;
  const isDeclared = Object.keys(headers).length > 0 || Object.keys(query).length > 0;
  return { baseUrl, hosts, headers: isDeclared ? headers : bearer, query };
}

/** A slug as a title: `api_key` becomes Api Key. */
export function nameOf(slug: string): string {
  const words = slug.split(/[_-]+/).filter(Boolean);
  return words.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join(" ");
}
