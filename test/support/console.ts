import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { app } from "#worker/http/app.ts";

import { ORIGIN } from "./client.ts";

type RequestOptions = {
  body?: unknown;
  cookie?: string | undefined;
  headers?: Record<string, string>;
  /** Settings of the platform that differ from those of all tests. */
  variables?: Partial<Env>;
};

/** A browser's headers for a page of the platform. */
export const OWN_PAGE = { origin: ORIGIN, "sec-fetch-site": "same-origin" };

/** Send a request like a browser, with its cookie. */
export async function browse(
  method: string,
  path: string,
  { body, cookie, headers = {}, variables = {} }: RequestOptions = {},
) {
  const ctx = createExecutionContext();
  const sent = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      // Each browser has its own address, so that no browser's failures block another one's sign-in.
      "cf-connecting-ip": crypto.randomUUID(),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await app.fetch(sent, { ...env, ...variables }, ctx);
  const text = await response.text();
  await waitOnExecutionContext(ctx);
  const { status } = response;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape.
  const parsed: any = text === "" ? undefined : JSON.parse(text);
  return { status, headers: response.headers, body: parsed, cookie: cookieIn(response.headers) };
}

/** The name and value of the session's cookie that a response sets. */
function cookieIn(headers: Headers): string | undefined {
  const set = headers.getSetCookie().find((cookie) => cookie.includes("wellspring_session="));
  return set?.split(";")[0];
}

/** Exchange a key, the admin token or a link for a session, and call the platform like the console from then on. */
export async function signIn(credentials: object, more: RequestOptions = {}) {
  const answer = await browse("POST", "/console/session", {
    ...more,
    body: credentials,
    headers: { ...OWN_PAGE, ...more.headers },
  });
  expect(answer).toMatchObject({ status: 200, cookie: expect.any(String) });
  const { cookie, body } = answer;
  const session = body.data as ConsoleSession;
  const as =
    (method: string) =>
    (path: string, sent?: unknown, headers: Record<string, string> = {}) =>
      browse(method, path, {
        cookie,
        body: sent,
        headers: { ...OWN_PAGE, "x-csrf-token": session.csrf_token, ...headers },
      });
  return {
    session,
    cookie,
    answer,
    get: as("GET"),
    post: as("POST"),
    put: as("PUT"),
    delete: as("DELETE"),
  };
}

type ConsoleSession = {
  id: string;
  user: { id: string; username: string; email: string } | null;
  is_operator: boolean;
  csrf_token: string;
  expires_at: number;
  release: string;
};
