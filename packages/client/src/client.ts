import createFetchClient, { type MaybeOptionalInit } from "openapi-fetch";
import type {
  HttpMethod,
  PathsWithMethod,
  RequiredKeysOf,
  ResponseObjectMap,
  SuccessResponse,
} from "openapi-typescript-helpers";

import { errorOf } from "./errors.ts";
import { retrying } from "./retries.ts";
import { follow, type FollowOptions, type Place, type StreamedEvent } from "./streams.ts";
import type { paths } from "./v1.generated.ts";

export type ClientOptions = {
  /** The URL of the platform, such as `http://127.0.0.1:8787`. */
  baseUrl: string;
  /** Optional if `fetch` authenticates by itself, such as in a page with a session. */
  apiKey?: string;
  /** Used instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Maximum retries of a request after temporary failures. 2 by default. */
  retries?: number;
};

type Init<Path extends keyof paths, Method extends HttpMethod> = MaybeOptionalInit<
  paths[Path],
  Method & keyof paths[Path]
>;

/** The last argument of a call: optional if the operation requires no input. */
type Rest<T> = RequiredKeysOf<NonNullable<T>> extends never ? [init?: T] : [init: T];

/** The body of an operation's successful response. */
type Body<Path extends keyof paths, Method extends HttpMethod> =
  paths[Path] extends Record<Method, infer Operation extends Record<string | number, unknown>>
    ? SuccessResponse<ResponseObjectMap<Operation>, "application/json">
    : never;

type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(
  path: Path,
  ...rest: Rest<Init<Path, Method>>
) => Promise<Body<Path, Method>>;

type Page = { page_info: { end_cursor: string | null }; data: unknown[] };

/** The paths with a GET that returns a page. */
type PagedPath = {
  [Path in PathsWithMethod<paths, "get">]: Body<Path, "get"> extends Page ? Path : never;
}[PathsWithMethod<paths, "get">];

type PageOf<Path extends PagedPath> = Body<Path, "get">;

type ItemOf<Path extends PagedPath> = PageOf<Path> extends { data: (infer Item)[] } ? Item : never;

/** The API, v1. Paths, parameters, bodies and responses have the types of its OpenAPI document. */
export type Client = {
  get: Call<"get">;
  post: Call<"post">;
  put: Call<"put">;
  delete: Call<"delete">;
  /** The pages of a list, from the first one or after `after`. */
  pages: <Path extends PagedPath>(
    path: Path,
    ...rest: Rest<Init<Path, "get">>
  ) => AsyncGenerator<PageOf<Path>, void, undefined>;
  /** The items of all pages of a list. */
  list: <Path extends PagedPath>(
    path: Path,
    ...rest: Rest<Init<Path, "get">>
  ) => AsyncGenerator<ItemOf<Path>, void, undefined>;
  /** The events of a source (`dc_…`) or a workflow (`p_…`) as they are emitted, across broken connections. */
  follow: (
    emitterId: string,
    options?: FollowOptions,
  ) => AsyncGenerator<StreamedEvent, void, undefined>;
};

type AnyInit = { params?: { query?: Record<string, unknown> } };
type AnyCall = (path: string, init?: AnyInit) => Promise<unknown>;
type AnyOperation = { responses: { 200: { content: { "application/json": unknown } } } };
type AnyPaths = Record<string, Record<HttpMethod, AnyOperation>>;

type Connection = {
  base: string;
  headers: Record<string, string>;
  fetch: (request: Request) => Promise<Response>;
};

/** Connect to a platform. Every call rejects with a `WellspringError` unless it succeeds. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, apiKey, retries = 2 } = options;
  const base = `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
  const headers: Connection["headers"] =
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const plainFetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const connection = { base, headers, fetch: plainFetch };
  const call = caller({ ...connection, fetch: retrying(plainFetch, retries) });
  const get = call("get");
  const client = {
    get,
    post: call("post"),
    put: call("put"),
    delete: call("delete"),
    pages: (path: string, init?: AnyInit) => pages(get, path, init),
    list: (path: string, init?: AnyInit) => items(pages(get, path, init)),
    follow: (emitterId: string, place: FollowOptions = {}) =>
      follow(opener(connection, emitterId, place), place),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the implementation knows no paths; the type has one signature for each.
  return client as Client;
}

/** Calls of a method that return the body of the response. */
function caller({ base, headers, fetch }: Connection): (method: HttpMethod) => AnyCall {
  const http = createFetchClient<AnyPaths>({ baseUrl: base, headers, fetch });
  http.use({
    async onResponse({ response }) {
      if (!response.ok) throw await errorOf(response);
    },
  });
  return (method) => async (path, init) => {
    const { data } = await http.request(method, path, init);
    return data;
  };
}

function opener({ base, headers, fetch }: Connection, emitterId: string, place: FollowOptions) {
  const kind = emitterId.startsWith("p_") ? "workflows" : "sources";
  const url = new URL(`${base}/${kind}/${encodeURIComponent(emitterId)}/sse`);
  if (place.eventName !== undefined) url.searchParams.set("event_name", place.eventName);
  return async ({ lastEventId, signal }: Place): Promise<Response> => {
    const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const request = new Request(url, { headers: { ...headers, ...resumed }, signal });
    const response = await fetch(request);
    if (!response.ok) throw await errorOf(response);
    return response;
  };
}

/** A page may have fewer items than requested, so only an empty one is the end. */
async function* pages(get: AnyCall, path: string, init: AnyInit = {}): AsyncGenerator<Page, void> {
  const first = { limit: 100, ...init.params?.query };
  for (let query: object = first; ;) {
    const page = await get(path, { ...init, params: { ...init.params, query: { ...query } } });
    if (!isPage(page) || page.data.length === 0) return;
    yield page;
    if (page.page_info.end_cursor === null) return;
    query = { ...first, after: page.page_info.end_cursor };
  }
}

function isPage(body: unknown): body is Page {
  return typeof body === "object" && body !== null && "page_info" in body && "data" in body;
}

async function* items(all: AsyncIterable<Page>): AsyncGenerator<unknown, void> {
  for await (const { data } of all) yield* data;
}
