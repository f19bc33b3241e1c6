import { expect } from "vitest";

import type { signUp } from "./client.ts";
import { fillIn, visit } from "./pages.ts";
import { providerUrlIn } from "./provider.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** A link with which a user signs in at the provider of an app. Returns its path. */
export async function linkOf(client: Client, app: string, more: object = {}): Promise<string> {
  const { status, body } = await client.post("/accounts/authorize", { app, ...more });
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { url: /./ } } });
  return new URL(body.data.url).pathname;
}

/** A browser that a link redirected to the provider. */
export async function sentAway(path: string, app: string, fields: Record<string, string> = {}) {
  const left = await fillIn(path, fields);
  expect(left.status).toBe(200);
  const url = providerUrlIn(left.text);
  const [cookie = ""] = (left.headers.get("set-cookie") ?? "").split(";");
  const state = url.searchParams.get("state") ?? "";
  const callback = (query: Record<string, string> = { code: "code-1" }, headers = { cookie }) =>
    visit(`/connect/oauth/${app}/callback?${new URLSearchParams({ state, ...query }).toString()}`, {
      headers,
    });
  return { url, state, cookie, callback };
}

/** The accounts of a user, or of a workspace. */
export const accountsOf = async ({ get }: Client, workspace?: string) =>
  (await get(workspace === undefined ? "/accounts" : `/workspaces/${workspace}/accounts`)).body
    .data;
