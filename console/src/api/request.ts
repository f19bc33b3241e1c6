import { errorOf } from "@wellspring/client";

import { sessionFetch } from "./session.ts";

type Init = {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
};

/**
 * One request as the signed-in user, for operations that have no generated types. Resolves with the body, or rejects
 * with a `WellspringError`.
 */
export async function request<Body = void>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  { query = {}, body, signal }: Init = {},
): Promise<Body> {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_HEADERS };
  const response = await sessionFetch(
    new Request(url, { method, ...json, ...(signal && { signal }) }),
  );
  if (!response.ok) throw await errorOf(response);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the platform that served this page wrote it.
  return parsed(await response.text()) as Body;
}

function parsed(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

const JSON_HEADERS = { "content-type": "application/json" };

/** The body of a call of a typed client. Rejects if there is none. */
export async function bodyOf<Body>(call: Promise<{ data?: Body }>): Promise<Body> {
  const { data } = await call;
  if (data === undefined) throw new Error("The response has no body");
  return data;
}
