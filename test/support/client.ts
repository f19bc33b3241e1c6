import { exports } from "cloudflare:workers";

export const ORIGIN = "http://wellspring.test";

/** A response of the API, with its body parsed. */
type Answer = {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape.
  body: any;
};

type RequestOptions = { body?: unknown; headers?: Record<string, string> };

/** Send a request to the Worker. A body that is neither text nor a stream is sent as JSON. */
export async function request(
  method: string,
  path: string,
  { body, headers = {} }: RequestOptions = {},
): Promise<Answer> {
  const init = isRaw(body)
    ? { headers, ...(body !== undefined && { body }) }
    : {
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      };
  const response = await exports.default.fetch(`${ORIGIN}${path}`, { method, ...init });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

function isRaw(
  body: unknown,
): body is string | ReadableStream | Uint8Array<ArrayBuffer> | undefined {
  return (
    body === undefined ||
    typeof body === "string" ||
    body instanceof ReadableStream ||
    body instanceof Uint8Array
  );
}

/** A client for paths below `base`, with a bearer token. */
export function clientOf(token: string, base: string) {
  const as =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      request(method, `${base}${path}`, {
        body,
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
  return { get: as("GET"), post: as("POST"), put: as("PUT"), delete: as("DELETE"), as };
}

export const operator = clientOf("operator", "/admin");

/** A fresh user and their client: every test owns all the data that it sees. */
export async function signUp(plan: "free" | "paid" = "free") {
  const { body } = await operator.post("/users", {
    username: "ada",
    email: `${crypto.randomUUID()}@example.com`,
    plan,
  });
  return { user: body.data, ...clientOf(body.data.api_key, "/v1") };
}

/** A fresh workspace with these members. Returns its id. */
export async function workspaceOf(...members: { user: { id: string } }[]): Promise<string> {
  const { body } = await operator.post("/workspaces", {
    orgname: "engines",
    name: "Engines",
    email: "engines@example.com",
  });
  for (const { user } of members)
    await operator.put(`/workspaces/${body.data.id}/members/${user.id}`);
  return body.data.id;
}
