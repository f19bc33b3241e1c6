import { z } from "@hono/zod-openapi";

import type { App } from "#domain/apps.ts";

/** An app as the Connect API shows it. */
export const AppBody = z
  .object({
    id: z.string(),
    name_slug: z.string(),
    name: z.string(),
    auth_type: z.enum(["keys", "oauth", "none"]),
    description: z.string(),
    img_src: z.string(),
    custom_fields_json: z.string(),
    categories: z.array(z.string()),
    featured_weight: z.number(),
    scope_profiles: z.array(z.object({ name: z.string(), scopes: z.array(z.string()) })),
  })
  .openapi("App");

/** The public part of an app: its users' form fields, without the provider's client. */
export function presentApp(app: App): z.input<typeof AppBody> {
  const { slug, name, authType, description, imgSrc, fields, categories, featuredWeight } = app;
  const profiles = Object.entries(app.oauth?.scopeProfiles ?? {});
  return {
    id: slug,
    name_slug: slug,
    name,
    auth_type: authType,
    description,
    img_src: imgSrc,
    custom_fields_json: JSON.stringify(
      fields.map(
        ({
          name: field,
          label,
          description: text,
          secret,
          optional,
          placeholder,
          default: preset,
        }) => ({
          name: field,
          type: secret ? "password" : "string",
          label,
          description: text ?? "",
          placeholder: placeholder ?? "",
          default: preset ?? "",
          optional,
        }),
      ),
    ),
    categories,
    featured_weight: featuredWeight,
    scope_profiles: profiles.map(([profile, scopes]) => ({ name: profile, scopes })),
  };
}
