import type { FuzzedRequest } from "./requests.ts";
import type { World } from "./world.ts";

const TIMEOUT_MS = 60_000;

/** Header values contain no other characters. */
const NOT_IN_HEADERS = /[^\x20-\x7e]/g;

/** The platform's response, read as far as possible. */
export type ApiResponse = { status: number; headers: Headers; text: string };

export type Tokens = Record<FuzzedRequest["as"], string | undefined>;

/** Send a request with the currently known values. After a `Retry-After` it waits, like a real caller. */
export async function send(
  origin: string,
  request: FuzzedRequest,
  { world, tokens }: { world: World; tokens: Tokens & { operator: string } },
): Promise<{ answer: ApiResponse; sent: string }> {
  const url = urlOf(origin, request, world);
  const init = {
    method: request.method,
    ...contentOf(request, world),
    redirect: "manual",
  } as const;
  const headers = headersOf(request, world, tokens);
  for (;;) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, headers, signal }).catch(brokenOff);
    if (!response) continue;
    const wait = response.status === 429 && Number(response.headers.get("retry-after"));
    const text = await textOf(response);
    if (!wait || wait > 60) {
      const sent = `${request.method} ${url} as ${request.as} ${(init.body ?? "").slice(0, 600)}`;
      return { answer: { status: response.status, headers: response.headers, text }, sent };
    }
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

/** A server that has read enough of a body may close the connection on the rest: its response is lost then. */
function brokenOff(error: unknown): undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && /EPIPE|ECONNRESET|other side closed/.test(cause.message)) return;
  throw error;
}

/** A stream of events has no end: only its beginning counts. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return response.text();
  await response.body?.cancel();
  return "";
}

function urlOf(origin: string, { operation, values, suffix }: FuzzedRequest, world: World): string {
  let { path } = operation;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    if (!Object.hasOwn(values, parameter.name)) continue;
    const text = textFor(world.fill(values[parameter.name]));
    if (parameter.in === "query") query.append(parameter.name, text);
    // An empty segment would change the path.
    if (parameter.in === "path")
      path = path.replace(`{${parameter.name}}`, () => encodeURIComponent(text || "-"));
  }
  const search = query.size > 0 ? `?${query.toString()}` : "";
  return `${origin}/${operation.plane}${path}${suffix}${search}`;
}

function textFor(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.toWellFormed();
}

function contentOf({ method, body, rawBody }: FuzzedRequest, world: World) {
  if (method === "GET" || method === "HEAD") return {};
  if (rawBody !== undefined) return { body: rawBody };
  return body === undefined ? {} : { body: JSON.stringify(world.fill(body)) };
}

function headersOf(
  { operation, values, contentType, as }: FuzzedRequest,
  world: World,
  tokens: Tokens & { operator: string },
): Headers {
  const headers = new Headers({ "content-type": contentType, "x-forwarded-for": newAddress() });
  const token = operation.plane === "admin" && as === "owner" ? tokens.operator : tokens[as];
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  for (const { name, in: place } of operation.parameters)
    if (place === "header" && Object.hasOwn(values, name))
      headers.set(name, textFor(world.fill(values[name])).replaceAll(NOT_IN_HEADERS, "?"));
  return headers;
}

function newAddress(): string {
  return `10.${[...crypto.getRandomValues(new Uint8Array(3))].join(".")}`;
}
