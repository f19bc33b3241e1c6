/** A request of a component to a faithful fake. */
export type FakeRequest = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** The values in the path of the `:names` of a route. */
  params: Record<string, string>;
};

export type Reply = {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};

/** The handler of a request; undefined if the request is for another fake. */
export type Fake = (
  request: Omit<FakeRequest, "params">,
) => Reply | undefined | Promise<Reply | undefined>;

type Handler = (request: FakeRequest) => Reply | Promise<Reply>;

/** A fake of several routes: `"GET api.example.com/things/:id"` and its handler. */
export function routes(table: Record<string, Handler>): Fake {
  const rows = Object.entries(table).map(([route, handler]) => {
    const [method = "", pattern = ""] = route.split(" ");
    return { method, parts: pattern.split("/"), handler };
  });
  return (request) => {
    const at = `${request.url.host}${request.url.pathname}`.split("/");
    for (const { method, parts, handler } of rows) {
      const params = method === request.method ? matched(parts, at) : undefined;
      if (params) return handler({ ...request, params });
    }
    return undefined;
  };
}

function matched(parts: string[], at: string[]): Record<string, string> | undefined {
  if (parts.length !== at.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = decodeURIComponent(at[index] ?? "");
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** A JSON response. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** A response of another media type. */
export function content(type: string, body: string | Uint8Array, status = 200): Reply {
  return { status, headers: { "content-type": type }, body };
}

/** The body of a request, as JSON of a shape that the caller expects. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the expected type.
export function jsonOf<T>({ body }: Pick<FakeRequest, "body">): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fake fails its scenario if the body differs.
  return JSON.parse(body === "" ? "{}" : body) as T;
}

/** The fields of a form that a request sends. */
export function formOf({ body }: Pick<FakeRequest, "body">): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}
