import { z } from "zod";

import { AppOauthSettings, AppSettings, checkHosts, isSlug } from "./app-settings.ts";

const Slug = z.string().refine(isSlug, "must be a slug");
const Page = z.url({ protocol: /^https?$/ }).max(2000);

/** The facts of an entry that need proof. */
const FACTS = [
  "authorize_url",
  "token_url",
  "refresh_url",
  "revoke_url",
  "scopes",
  "pkce",
  "client_authentication",
  "token_body",
  "credentials",
  "request",
  "test",
  "fields",
  "client",
] as const;

/** The client at the provider: where a developer creates it, and the setting for the redirect URI. */
type ProviderClient = z.output<typeof Client>;
const Client = z
  .strictObject({
    create_at: Page,
    redirect_field: z.string().max(200),
    https_only: z.boolean(),
    review: z.string().max(400),
  })
  .partial();

/** An app in the catalogue, as its file `apps/<slug>/app.json` has it. */
export type CatalogueEntry = z.output<typeof CatalogueEntry>;
export const CatalogueEntry = AppSettings.omit({ img_src: true, featured_weight: true })
  .required({ name: true, description: true, auth_type: true, categories: true })
  .extend({
    /** The provider's page on how to authenticate. */
    docs: Page,
    /** The day on which the facts were compared with their sources. */
    verified: z.iso.date(),
    /** What proves each fact: URLs, or a library with the path of its file. */
    sources: z.partialRecord(z.enum(FACTS), z.array(z.string().min(1).max(500)).min(1)),
    /** Further slugs of the same app. */
    aliases: z.array(Slug).max(20).default([]),
    /** Apps of a family share an OAuth client. */
    family: Slug.optional(),
    /** The name of its icon in simple-icons. */
    icon: z.string().max(100).optional(),
    oauth: AppOauthSettings.required({
      authorize_url: true,
      token_url: true,
      scopes: true,
      pkce: true,
      client_authentication: true,
    })
      .superRefine(checkHosts)
      .optional(),
    client: Client.optional(),
  });

type OauthSettings = NonNullable<AppSettings["oauth"]>;

/** The apps that the platform knows, by slug. */
export type Catalogue = ReadonlyMap<string, CatalogueApp>;

/**
 * An app that the platform knows. `entry`: the slug of its entry, another one if `slug` is an alias. `siblings`: slugs
 * whose OAuth client serves it too, itself first.
 */
export type CatalogueApp = {
  slug: string;
  entry: string;
  settings: AppSettings;
  siblings: string[];
  family?: string | undefined;
  guide?: Guide | undefined;
};

/** What people need to set up an app: the provider's page on how to authenticate, and where to create a client. */
export type Guide = { docs: string; client?: ProviderClient | undefined };

/** An entry as the platform loads it, without the proofs of its facts. */
export type LoadedEntry = {
  slug: string;
  aliases: string[];
  family?: string;
  settings: AppSettings;
  guide?: Guide;
};

/** The catalogue of these entries. */
export function catalogueOf(entries: readonly LoadedEntry[]): Catalogue {
  const families = Map.groupBy(entries, ({ family, slug }) => family ?? slug);
  return new Map(
    entries.flatMap(({ slug, aliases, family, settings, guide }) => {
      const relatives = families.get(family ?? slug) ?? [];
      const all = relatives.flatMap((one) => [one.slug, ...one.aliases]);
      return [slug, ...aliases].map((name): [string, CatalogueApp] => {
        const siblings = [
          ...new Set([name, ...(family === undefined ? [] : [family]), slug, ...all]),
        ];
        return [name, { slug: name, entry: slug, settings, siblings, family, guide }];
      });
    }),
  );
}

/** The settings of an app: the operator's, each over that of the catalogue. */
export function mergedSettings(known: AppSettings = {}, own: AppSettings = {}): AppSettings {
  return {
    ...known,
    ...own,
    ...((known.oauth || own.oauth) && { oauth: mergedOauth(known.oauth, own.oauth) }),
    ...((known.request || own.request) && { request: { ...known.request, ...own.request } }),
  };
}

/** The refresh URL goes with the token URL: tokens are refreshed at the server that issued them. */
function mergedOauth(
  { refresh_url, ...known }: OauthSettings = {},
  own: OauthSettings = {},
): OauthSettings {
  const isSameServer = own.token_url === undefined || own.token_url === known.token_url;
  return { ...known, ...(isSameServer && refresh_url !== undefined && { refresh_url }), ...own };
}
