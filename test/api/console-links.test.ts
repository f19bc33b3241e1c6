// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sha256Hex } from "#domain/hash.ts";
import { forgetSessions } from "#services/sessions/sessions.ts";

import { operator, ORIGIN, signUp } from "../support/client.ts";
import { browse, OWN_PAGE, signIn } from "../support/console.ts";
import { platformIn } from "../support/sweeping.ts";

const USED = { status: 401, body: { error: expect.stringContaining("link: was used before") } };

async function newLink(body: object) {
  const { body: made } = await operator.post("/sign_in_links", body);
  const { url, expires_at } = made.data as { url: string; expires_at: number };
  const [page, link = ""] = url.split("#link=");
  return { page, link, expires_at };
}

const tryLink = (link: string) =>
  browse("POST", "/console/session", { body: { link }, headers: OWN_PAGE });

test("a link signs a user in once", async () => {
  const { user } = await signUp();
  const { page, link, expires_at } = await newLink({ user_id: user.id });
  expect(page).toBe(`${ORIGIN}/console/sign-in`);
  expect(link).toMatch(/^[0-9A-Za-z]{44}$/);
  expect(expires_at).toBeCloseTo(Date.now() / 1000 + 3600, -2);
  const { session, get } = await signIn({ link });
  expect(session).toMatchObject({ user: { id: user.id }, is_operator: false });
  expect(await get("/v1/users/me")).toMatchObject({ status: 200 });
  expect(await tryLink(link)).toMatchObject(USED);
});

test("a link that many use at once signs one of them in", async () => {
  const { user } = await signUp();
  const { link } = await newLink({ user_id: user.id });
  const answers = await Promise.all(Array.from({ length: 8 }, () => tryLink(link)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
});

test("a link may sign in an operator, alone or as a user", async () => {
  const { user } = await signUp();
  const alone = await signIn({ link: (await newLink({ is_operator: true })).link });
  expect(alone.session).toMatchObject({ user: null, is_operator: true });
  const both = await newLink({ user_id: user.id, is_operator: true });
  const { session, get } = await signIn({ link: both.link });
  expect(session).toMatchObject({ user: { id: user.id }, is_operator: true });
  expect(await get("/admin/users")).toMatchObject({ status: 200 });
});

test("a link is for an existing user", async () => {
  expect(await operator.post("/sign_in_links", {})).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: "user_id" }] } },
  });
  expect(await operator.post("/sign_in_links", { user_id: "u_none" })).toMatchObject({
    status: 404,
  });
  const { user } = await signUp();
  const { link } = await newLink({ user_id: user.id, is_operator: true });
  await operator.delete(`/users/${user.id}?force=true`);
  expect(await tryLink(link)).toMatchObject(USED);
});

test("a link expires after an hour, and the sweep deletes it", async () => {
  const { user } = await signUp();
  const { link } = await newLink({ user_id: user.id });
  const hash = await sha256Hex(link);
  const row = () => env.DB.prepare("SELECT 1 FROM console_links WHERE hash = ?").bind(hash).first();
  expect(await row()).not.toBeNull();
  await env.DB.prepare("UPDATE console_links SET expires_at = 1 WHERE hash = ?").bind(hash).run();
  expect(await tryLink(link)).toMatchObject(USED);
  await forgetSessions(platformIn(0));
  expect(await row()).toBeNull();
});

test("only the operator creates links", async () => {
  const { user } = await signUp();
  const ada = await signIn({ api_key: user.api_key });
  expect(await ada.post("/admin/sign_in_links", { is_operator: true })).toMatchObject({
    status: 401,
  });
});
