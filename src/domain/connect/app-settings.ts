import { z } from "zod";

import { hasHost } from "#domain/address.ts";
import { filledWith } from "#domain/app-templates.ts";

/** Optional settings of an app. */
export type AppSettings = z.output<typeof AppSettings>;

/** The names of scope profiles that Pipedream's clients know. */
export type ScopeProfile = (typeof SCOPE_PROFILES)[number];
const SCOPE_PROFILES = ["read_only", "read_write", "admin"] as const;

const Slug = /^[a-z0-9_][a-z0-9_-]{0,99}$/;
const Template = z.string().max(4000);
const Name = z.string().regex(/^[A-Za-z_$][\w$]{0,99}$/, "must be a name as in code");
const Parameters = z.record(z.string().max(100), z.string().max(400));
const Scopes = z.array(z.string().min(1).max(400)).max(200);

/** A host whose end no field chooses. */
const FIXED_END = /^https?:\/\/(?:[^/?#{}]*|[^/?#]*\}\}\.[^/?#{}.]+\.[^/?#{}]+)(?:[/?#]|$)/i;

/** A host that is one name. */
const HOST_NAME = /^(?:https:\/\/)?\{\{\s*([\w$]+)\s*\}\}(?:[/?#]|$)/;

/** A URL that may have names of fields in it, such as `https://{{shop}}.example.com/token`. */
const TemplateUrl = z
  .string()
  .max(2000)
  .refine(
    (text) =>
      isHttpUrl(
        filledWith(text, () => "a"),
        text,
      ),
    "must be a URL with a host",
  );

function isHttpUrl(filled: string, template: string): boolean {
  const text = template.startsWith("{{") ? `https://${filled}` : filled;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && hasHost(text);
}

const HostPattern = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9.-]+(?::\d+)?$/, "must be a host, such as api.example.com");

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

/** Settings of an app's OAuth authorization, without defaults, so that they can override others. */
export const AppOauthSettings = z
  .strictObject({
    authorize_url: TemplateUrl,
    token_url: TemplateUrl,
    refresh_url: TemplateUrl,
    revoke_url: TemplateUrl,
    scopes: Scopes,
    scope_profiles: z.partialRecord(z.enum(SCOPE_PROFILES), Scopes),
    scope_separator: z.string().min(1).max(3),
    parameters: Parameters,
    token_parameters: Parameters,
    token_body: z.enum(["form", "json"]),
    pkce: z.boolean(),
    client_authentication: z.enum(["body", "basic"]),
    credentials: z.record(
      Name,
      z.strictObject({
        from: z
          .string()
          .max(200)
          .regex(/^(?:token|query)\.[\w$.-]+$/, "must begin with token. or query."),
        hosts: z.array(HostPattern).max(50).optional(),
      }),
    ),
  })
  .partial();

/**
 * Refuse URLs whose host users choose, because a client's secret is sent there: a host ends with a domain, or is a
 * credential whose hosts are named.
 */
export function checkHosts(
  oauth: z.output<typeof AppOauthSettings>,
  { addIssue }: Pick<z.RefinementCtx, "addIssue">,
): void {
  for (const field of ["authorize_url", "token_url", "refresh_url", "revoke_url"] as const)
    if (!hasOwnHost(oauth[field] ?? "", oauth.credentials))
      addIssue({
        code: "custom",
        path: [field],
        message: "must have a host that ends with a domain, such as .example.com",
      });
}

function hasOwnHost(
  url: string,
  credentials: z.output<typeof AppOauthSettings>["credentials"] = {},
): boolean {
  const [, credential = ""] = HOST_NAME.exec(url) ?? [];
  return url === "" || FIXED_END.test(url) || credentials[credential]?.hosts !== undefined;
}

export const AppTestSettings = z.strictObject({
  url: Template,
  expect: z
    .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
    .optional(),
  account_name: z.string().max(200).optional(),
});

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
  oauth: AppOauthSettings.superRefine(checkHosts).optional(),
  test: AppTestSettings.optional(),
  request: z
    .strictObject({
      base_url: Template,
      hosts: z.array(HostPattern).max(50),
      headers: z.record(z.string().max(100), Template),
      query: z.record(z.string().max(100), Template),
      basic: z.strictObject({ username: Template, password: Template }),
    })
    .partial()
    .optional(),
});

/** Whether a text can be an app's slug. */
export function isSlug(text: string): boolean {
  return Slug.test(text);
}
