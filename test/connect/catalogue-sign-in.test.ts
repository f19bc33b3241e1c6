// @suites loader

import { env } from "cloudflare:workers";
import { beforeAll, expect, inject, test } from "vitest";

import { filledWith } from "#domain/app-templates.ts";
import type { Id } from "#domain/ids.ts";

import { ENTRIES, loadedAt, movedUrl } from "../support/app-entries.ts";
import { useCatalogue } from "../support/catalogue.ts";
import { operator, signUp } from "../support/client.ts";
import { tokens } from "../support/oauth.ts";
import { fillIn, visit } from "../support/pages.ts";
import type { Received, Step } from "../support/receiver-server.ts";
import { accountsOf, linkOf } from "../support/sign-in.ts";
import { linesOf } from "../support/telemetry.ts";

const ORIGIN = inject("receiverServer");

const OAUTH = [...ENTRIES].flatMap(([slug, { oauth, ...entry }]) =>
  oauth ? [[slug, { ...entry, oauth }] as const] : [],
);

const VERIFIER: unknown = expect.stringMatching(/^[\w-]{43,}$/);

beforeAll(() => useCatalogue(loadedAt(ORIGIN)));

/** A value that each rule of hosts allows. */
const valueOf = (hosts: readonly string[] = []) => (hosts[0] ?? "acme").replace("*.", "acme.");

/** Values at paths, as nested objects. */
function nested(values: Record<string, string>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const names = path.split(".");
    let place = root;
    for (const name of names.slice(0, -1)) place = (place[name] ??= {}) as Record<string, unknown>;
    place[names.at(-1) ?? ""] = value;
  }
  return root;
}

/** A token server at a URL, with its responses. The apps of a family share it: only later requests are returned. */
async function serverAt(url: string, ...script: Step[]) {
  const all = async () => (await (await fetch(url)).json()) as Received[];
  const { length } = await all();
  await fetch(url, { method: "PUT", body: JSON.stringify(script) });
  return async () => (await all()).slice(length);
}

test.for(OAUTH)(
  "%s: users sign in, and tokens are refreshed and revoked, as the entry says",
  // oxlint-disable-next-line complexity -- one expectation for each field of an entry.
  async ([slug, entry]) => {
    const { oauth, fields = [] } = entry;
    const returned = Object.entries(oauth.credentials ?? {});
    const from = (place: string) =>
      Object.fromEntries(
        returned.flatMap(([, { from: path, hosts }]) =>
          path.startsWith(`${place}.`) ? [[path.slice(place.length + 1), valueOf(hosts)]] : [],
        ),
      );
    const typed = Object.fromEntries(fields.map(({ name }) => [name, "acme"]));
    const credentials = Object.fromEntries(
      returned.map(([name, { hosts }]) => [name, valueOf(hosts)]),
    );
    const filled = (url: string) =>
      filledWith(url, (name) => typed[name] ?? credentials[name] ?? "?");
    const granted = (accessToken: string) =>
      tokens({
        token_type: "Bearer",
        expires_in: 3600,
        ...nested({ ...from("token"), access_token: accessToken, refresh_token: "refresh-1" }),
      });
    const place = filled(movedUrl(ORIGIN, oauth.token_url));
    const again = filled(movedUrl(ORIGIN, oauth.refresh_url ?? oauth.token_url));
    const received = await serverAt(place, granted("token-1"), granted("token-2"));
    const refreshed = place === again ? received : await serverAt(again, granted("token-2"));

    const client = { client_id: `client of ${slug}`, client_secret: "s:e/c" };
    expect((await operator.post("/oauth_apps", { app: slug, ...client })).status).toBe(200);
    const ada = await signUp();
    const page = await fillIn(await linkOf(ada, slug), typed);
    const [, href = ""] = /href="(https:[^"]+client_id=[^"]+)"/.exec(page.text) ?? [];
    const url = new URL(href.replaceAll("&amp;", "&"));
    const expected = new URL(filled(oauth.authorize_url));
    expect(url.origin + url.pathname).toBe(expected.origin + expected.pathname);
    const { state, code_challenge, ...sent } = Object.fromEntries(url.searchParams);
    expect(typeof code_challenge).toBe(oauth.pkce ? "string" : "undefined");
    const redirectUri = expect.stringMatching(/\/connect\/oauth\/[^/]+\/callback$/);
    expect(sent).toEqual({
      ...Object.fromEntries(expected.searchParams),
      ...oauth.parameters,
      ...(oauth.scopes.length > 0 && { scope: oauth.scopes.join(oauth.scope_separator ?? " ") }),
      ...(oauth.pkce && { code_challenge_method: "S256" }),
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
    });

    const cookie = (page.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const path = new URL(sent["redirect_uri"] ?? "").pathname;
    const query = new URLSearchParams({ code: "code-1", state: state ?? "", ...from("query") });
    const back = await visit(`${path}?${query.toString()}`, { headers: { cookie } });
    expect({ slug, text: back.text }).toMatchObject({
      text: expect.stringContaining("is connected"),
    });
    const [account] = await accountsOf(ada);
    const stub = env.ACCOUNTS.getByName(account.id as Id<"account">);
    const auth = await stub.credentials(ada.user.id);
    const shown: unknown = auth.ok ? JSON.parse(auth.auth) : auth.reason;
    expect(shown).toMatchObject({
      ...typed,
      oauth_access_token: "token-1",
      ...credentials,
    });
    expect(await stub.tokenAfter(ada.user.id, "token-1")).toBe("token-2");

    const isJson = oauth.token_body === "json";
    const sentIn = (one: Received | undefined) => ({
      type: one?.headers["content-type"],
      authorization: one?.headers["authorization"],
      fields: isJson
        ? JSON.parse(one?.body ?? "")
        : Object.fromEntries(new URLSearchParams(one?.body)),
    });
    const exchange = sentIn((await received())[0]);
    const refresh = sentIn((await refreshed()).at(-1));
    const isBasic = oauth.client_authentication === "basic";
    const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
    const id = `client+of+${slug}`;
    const authorization = isBasic ? `Basic ${btoa(`${id}:s%3Ae%2Fc`)}` : undefined;
    const clientFields = isBasic ? {} : client;
    const own = { ...oauth.token_parameters, ...clientFields };
    expect(exchange).toEqual({
      type,
      authorization,
      fields: {
        ...own,
        grant_type: "authorization_code",
        code: "code-1",
        redirect_uri: redirectUri,
        ...(oauth.pkce && { code_verifier: VERIFIER }),
      },
    });
    expect(refresh).toEqual({
      type,
      authorization,
      fields: { ...own, grant_type: "refresh_token", refresh_token: "refresh-1" },
    });

    const tokenRequests = (await received()).length + (await refreshed()).length;
    const revoked = await serverAt(filled(movedUrl(ORIGIN, oauth.revoke_url ?? slug)));
    const lines = await linesOf("debug", async () => {
      expect((await ada.delete(`/accounts/${account.id}`)).status).toBe(204);
    });
    const revocation = {
      type,
      authorization,
      fields: { ...clientFields, token: "refresh-1", token_type_hint: "refresh_token" },
    };
    expect((await revoked()).map(sentIn)).toEqual(oauth.revoke_url ? [revocation] : []);
    expect((await received()).length + (await refreshed()).length).toBe(tokenRequests);
    const logged = lines.filter(({ event }) => event.startsWith("grant_"));
    expect(logged).toMatchObject(oauth.revoke_url ? [{ event: "grant_revoked", status: 200 }] : []);
    expect(JSON.stringify(lines)).not.toMatch(/refresh-1|token-2|s:e\/c/);
  },
);
