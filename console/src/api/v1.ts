import { errorOf } from "@wellspring/client";

import { sessionFetch } from "./session.ts";

type Query = Record<string, string | number | boolean | undefined>;

type Init = {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
};

/** A call of the v1 API that the client's types do not have. Rejects with a `WellspringError`. */
export async function v1<Body>(path: string, init: Init = {}): Promise<Body> {
  const response = await sessionFetch(requestOf(path, init));
  if (!response.ok) throw await errorOf(response);
  const text = await response.text();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the platform that served this page answers as its documents say.
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}

function requestOf(path: string, { method = "GET", query = {}, body, signal }: Init): Request {
  const url = new URL(`/v1${path}`, location.origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return new Request(url, {
    method,
    ...(signal && { signal }),
    ...(body !== undefined && asJson(body)),
  });
}

function asJson(body: unknown): RequestInit {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}
