import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { deploy } from "../../tools/scripts/api.ts";
import { serveTeam } from "../support/access-server.ts";
import { useStage, visit } from "../support/browser.ts";
import type { TestServer } from "../support/serve.ts";

const CODE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" }, run() {} };`;

const AUDIENCE = "9c8a7b";

let team: TestServer;

// Cloudflare Access is in front of the platform: it identifies users by a header.
const stage = useStage(undefined, async () => {
  team = await serveTeam();
  return { CF_ACCESS_TEAM_DOMAIN: team.origin, CF_ACCESS_AUD: AUDIENCE };
});

afterAll(() => team.close());

/** The header of Cloudflare Access about a user, for this application or another one. */
async function assertionOf(email: string, audience = AUDIENCE): Promise<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const claims = JSON.stringify({ iss: team.origin, aud: [audience], exp, email });
  const response = await fetch(`${team.origin}/sign?claims=${encodeURIComponent(claims)}`);
  return { "cf-access-jwt-assertion": await response.text() };
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 });

async function submitKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key or admin token").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A link that signs a user in once. */
async function linkFor(user_id: string): Promise<string> {
  const { url } = await callAs(stage().operator)("POST", "/sign_in_links", { user_id });
  return url;
}

test("a link signs in once, and leaves no secret in the URL", async () => {
  const ada = await newPerson(stage());
  const link = await linkFor(ada.id);
  const { page } = await visit(stage());
  await page.goto(link);
  await heading(page, "Home").waitFor();
  expect(page.url()).toBe(`${stage().origin}/console/`);
  expect(await page.locator("body").innerText()).toContain(ada.username);

  const { page: other, expectFault } = await visit(stage());
  expectFault(/status of 401/);
  await other.goto(link);
  await other.getByText("was used before, has expired, or was never valid").waitFor();
  expect(other.url()).not.toContain("link=");
});

test("a key signs in, and a wrong one shows an error and can be corrected", async () => {
  const ada = await newPerson(stage());
  const { page, context, expectFault } = await visit(stage());
  expectFault(/status of 401/);
  await page.goto("/console/");
  await heading(page, "Sign in to Wellspring").waitFor();
  await submitKey(page, "no-key-of-anybody");
  await page.getByText("api_key: is not a valid API key").waitFor();
  expect(await context.cookies()).toEqual([]);
  await submitKey(page, ada.apiKey);
  await heading(page, "Home").waitFor();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: "wellspring_session", httpOnly: true, sameSite: "Lax" });
  expect(
    await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })"),
  ).not.toContain(ada.apiKey);
});

test("a user whom Cloudflare Access identifies is signed in without a form", async () => {
  const ada = await newPerson(stage());
  const email = `${ada.username}@plum.example`;
  const extraHTTPHeaders = await assertionOf(email);
  const { page } = await visit(stage(), undefined, { extraHTTPHeaders });
  await page.goto("/console/settings");
  await page.getByText(email).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/settings");

  const other = await visit(stage(), undefined, {
    extraHTTPHeaders: await assertionOf(email, "another application"),
  });
  await other.page.goto("/console/settings");
  await other.page.getByRole("button", { name: "Sign in" }).waitFor();
});

test("a revoked session leads to the sign-in page, and from there back", async () => {
  const ada = await newPerson(stage());
  const { id } = await deploy(ada, CODE);
  const { page, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto(`/console/sources/${id}`);
  await heading(page, "Orders").waitFor();
  const call = callAs(ada);
  for (const session of await call("GET", "/sessions"))
    await call("DELETE", `/sessions/${session.id}`);
  expectFault(/status of 401/);
  await page.reload();
  await heading(page, "Sign in to Wellspring").waitFor();
  await submitKey(page, ada.apiKey);
  await heading(page, "Orders").waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/sources/${id}`);
});

test("a session that ends on an open page leads to the sign-in page on the next click", async () => {
  const ada = await newPerson(stage());
  const { page, context, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/");
  await heading(page, "Home").waitFor();
  // A browser drops an expired cookie.
  await context.clearCookies();
  expectFault(/status of 401/);
  await page.getByRole("link", { name: "Sources", exact: true }).click();
  await heading(page, "Sign in to Wellspring").waitFor();
  await submitKey(page, ada.apiKey);
  await heading(page, "Sources").waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/sources");
});

test("a signed-out user stays signed out, also after the browser's back button", async () => {
  const ada = await newPerson(stage());
  const { page, context } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/webhooks");
  await page.getByRole("button", { name: ada.username }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(page, "Sign in to Wellspring").waitFor();
  expect(await context.cookies()).toEqual([]);
  await page.goBack();
  await heading(page, "Sign in to Wellspring").waitFor();
});

test("the sign-in does not return to another site", async () => {
  const ada = await newPerson(stage());
  for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example/"]) {
    const { page } = await visit(stage());
    await page.goto(`/console/sign-in?next=${encodeURIComponent(next)}`);
    await submitKey(page, ada.apiKey);
    await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
    expect(new URL(page.url()).origin).toBe(stage().origin);
  }
});

test("an offline user sees a message, and continues once online", async () => {
  const ada = await newPerson(stage());
  const { page, context, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/sources");
  await heading(page, "Sources").waitFor();
  expectFault(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  await context.setOffline(true);
  await page.getByRole("link", { name: "Webhooks" }).click();
  // A banner says so at once; the page has the button once it failed.
  await page.getByRole("button", { name: "Try again" }).first().waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).first().click();
  await heading(page, "Webhooks").waitFor();
  await expect.poll(() => page.getByText("You are offline").count()).toBe(0);
});

test("a failure of the server shows its message and the request's id", async () => {
  const ada = await newPerson(stage());
  const { page, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  expectFault(/status of 500/);
  await page.route("**/v1/users/me/webhooks?**", (route) =>
    route.fulfill({
      status: 500,
      headers: { "x-request-id": "req-4711" },
      json: { error: "Something went wrong on our side", code: "internal" },
    }),
  );
  await page.goto("/console/webhooks");
  await page.getByText("Something went wrong on our side").first().waitFor();
  await page.getByText("req-4711").first().waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).first().click();
  await expect.poll(() => page.getByText("Something went wrong on our side").count()).toBe(0);
});

test("an unknown address and another user's resource look the same", async () => {
  const [ada, eve] = [await newPerson(stage()), await newPerson(stage())];
  const { id: source } = await deploy(ada, CODE, "Only Ada's");
  const { id: webhook } = await callAs(ada)("POST", "/webhooks", {
    url: "http://127.0.0.1:9/",
    name: "Only Ada's",
  });
  const { page, expectFault } = await visit(stage(), { api_key: eve.apiKey });
  expectFault(/status of 404|WellspringError: No /);
  for (const path of ["nowhere", "sources/dc_none", `sources/${source}`, `webhooks/${webhook}`]) {
    await page.goto(`/console/${path}`);
    await page
      .getByText(/does not exist/)
      .first()
      .waitFor();
    expect(await page.locator("body").innerText()).not.toContain("Only Ada's");
  }
  for (const list of ["sources", "webhooks"]) {
    await page.goto(`/console/${list}`);
    await heading(page, /./).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.locator("body").innerText()).not.toContain("Only Ada's");
  }
});

test("a user has no pages of operators, and an operator without a user sees the operators' pages", async () => {
  const ada = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/");
  await heading(page, "Home").waitFor();
  expect(await page.getByRole("link", { name: "Admin" }).count()).toBe(0);

  const operator = await visit(stage(), { admin_token: stage().platform.adminToken });
  await operator.page.goto("/console/admin");
  await heading(operator.page, /./).waitFor();
  await operator.page.getByRole("link", { name: "Admin" }).waitFor();
});
