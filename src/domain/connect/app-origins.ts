import type { AppSettings } from "./app-settings.ts";

/** The places that state fields of an app, in the order in which they apply: each field is that of the first. */
export const ORIGINS = ["project", "operator", "catalogue", "code"] as const;

export type Origin = (typeof ORIGINS)[number];

/** A field of an app: its path, such as `oauth.token_url` or `fields.api_key`, its value and the place that states it. */
export type SettledField = { field: string; value: unknown; origin: Origin };

/** The settings with fields of their own. */
const NESTED = new Set(["oauth", "request"]);

/** The fields of an app with the place of each. `merged`: the settings that apply; `layers`: those of each place. */
export function settledFields(
  merged: AppSettings,
  layers: Partial<Record<Origin, AppSettings | undefined>>,
): SettledField[] {
  const stated = ORIGINS.map((origin) => ({ origin, fields: fieldsOf(layers[origin] ?? {}) }));
  const originOf = (field: string) => stated.find(({ fields }) => fields.has(field))?.origin;
  return [...fieldsOf(merged)].map(([field, value]) => {
    // Settings of signing in make an app one of OAuth.
    const origin = originOf(field === "auth_type" ? authField(stated) : field);
    return { field, value, origin: origin ?? "code" };
  });
}

/** The field that decides the kind of authentication. */
function authField(stated: { origin: Origin; fields: Map<string, unknown> }[]): string {
  const settings = stated.filter(({ origin }) => origin !== "code");
  const isStated = settings.some(({ fields }) => fields.has("auth_type"));
  const isOauth = settings.some(({ fields }) => fields.has("oauth.token_url"));
  return !isStated && isOauth ? "oauth.token_url" : "auth_type";
}

/** The values of settings by their paths. */
function fieldsOf(settings: AppSettings): Map<string, unknown> {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, unknown][] => {
    if (name === "fields") return formFields(settings);
    if (!NESTED.has(name)) return [[name, value]];
    return Object.entries(Object(value)).map(([inner, one]) => [`${name}.${inner}`, one]);
  });
  return new Map(entries.filter(([, value]) => value !== undefined));
}

function formFields({ fields = [] }: AppSettings): [string, unknown][] {
  return fields.map((field) => [`fields.${field.name}`, field]);
}
