// @suites loader

import { expect, test } from "vitest";

import { OauthEndpoints, signInOf } from "#domain/app-overrides.ts";
import { oauthOf } from "#domain/apps.ts";
import { type LoadedEntry, mergedSettings } from "#domain/connect/catalogue.ts";

import { useCatalogue } from "../support/catalogue.ts";
import { operator, signUp } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

/** The slugs of a list of apps, and the number of all apps that match. */
async function listedFor(
  { get }: Awaited<ReturnType<typeof newCustomer>>["connect"],
  query: string,
) {
  const { data, page_info } = (await get(`/apps?${query}`)).body;
  const slugs = data.map(({ name_slug }: { name_slug: string }) => name_slug);
  return { slugs, total: page_info.total_count, after: page_info.end_cursor };
}

test("the list of apps has those of the catalogue once, in its order, pages and totals", async () => {
  const entry = (slug: string, name: string, aliases: string[] = []): LoadedEntry => ({
    slug,
    aliases,
    family: "orchards",
    settings: { name, categories: ["Orchard"], auth_type: "keys" },
  });
  useCatalogue([
    entry("orchard_a", "Zebra orchard", ["orchard_z"]),
    entry("orchard_c", "Apple orchard"),
  ]);
  await operator.put("/apps/orchard_b", { name: "Middle orchard" });
  const { connect } = await newCustomer();
  const list = (query: string) => listedFor(connect, `q=orchard&${query}`);
  expect(await list("")).toMatchObject({
    slugs: ["orchard_a", "orchard_b", "orchard_c"],
    total: 3,
  });
  expect((await list("sort_key=name")).slugs).toEqual(["orchard_c", "orchard_b", "orchard_a"]);
  const first = await list("limit=2");
  expect(first).toMatchObject({ slugs: ["orchard_a", "orchard_b"], total: 3 });
  expect(await list(`limit=2&after=${first.after}`)).toMatchObject({
    slugs: ["orchard_c"],
    total: 3,
  });
  expect((await list("has_components=true")).slugs).toEqual([]);
  // Accounts of an alias that is configured are its own, so it replaces its entry.
  await operator.put("/apps/orchard_z", { featured_weight: 1 });
  expect((await list("")).slugs).toEqual(["orchard_b", "orchard_c", "orchard_z"]);
  const older = await (await signUp()).get("/apps?q=orchard");
  expect(older.body.page_info.total_count).toBe(3);
  for (const slug of ["orchard_b", "orchard_z"]) await operator.delete(`/apps/${slug}`);
});

test("a token URL of the operator replaces the catalogue's URL of refreshing, too", () => {
  const known = {
    oauth: { token_url: "https://a.example/token", refresh_url: "https://a.example/refresh" },
  };
  const moved = mergedSettings(known, { oauth: { token_url: "https://b.example/token" } });
  expect(moved.oauth).toEqual({ token_url: "https://b.example/token" });
  expect(mergedSettings(known, { oauth: { pkce: false } }).oauth).toEqual({
    ...known.oauth,
    pkce: false,
  });
});

test("a project's client inherits what it leaves out, but refreshes at its own server", () => {
  const oauth = oauthOf({
    authorize_url: "https://a.example/authorize",
    token_url: "https://a.example/token",
    refresh_url: "https://a.example/refresh",
    scopes: ["read"],
    scope_separator: ",",
    token_body: "json",
    credentials: { home: { from: "token.home" } },
  });
  const endpoints = OauthEndpoints.parse({
    authorize_url: "https://b.example/authorize",
    token_url: "https://b.example/token",
  });
  expect(signInOf(oauth, endpoints)).toMatchObject({
    tokenUrl: "https://b.example/token",
    refreshUrl: undefined,
    scopes: ["read"],
    scopeSeparator: ",",
    tokenRequest: { body: "json" },
    credentials: { home: { from: "token.home" } },
  });
});
