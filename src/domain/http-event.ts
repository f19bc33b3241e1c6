import type { Address } from "./address.ts";
import { isTooDeep } from "./json-depth.ts";
import { fromJson, type Json } from "./json.ts";

/** A request to an endpoint, read to the end. Header names are in lower case. */
export type ReceivedRequest = {
  method: string;
  url: Address;
  /** The path below the endpoint. */
  path: string;
  headers: Record<string, string>;
  bytes: Uint8Array<ArrayBuffer>;
  clientIp: string;
};

/**
 * The event that `run` receives for an HTTP request (docs/contract.md: HTTP interface). Without a body its `bodyRaw` is
 * empty, and it has no `body`.
 */
export async function httpEvent(request: ReceivedRequest): Promise<Json> {
  const { method, path, headers, clientIp } = request;
  return {
    method,
    path,
    query: request.url.search === "" ? {} : gathered(new URLSearchParams(request.url.search)),
    headers,
    ...(await bodyOf(request)),
    url: urlOf(request),
    client_ip: clientIp,
  };
}

function urlOf({ url, path }: ReceivedRequest): string {
  return path === "/" && !url.pathname.endsWith("/")
    ? `${url.origin}${url.pathname}/${url.search}`
    : url.href;
}

async function bodyOf({ bytes, headers }: ReceivedRequest): Promise<Record<string, Json>> {
  if (bytes.length === 0) return { bodyRaw: "" };
  const type = headers["content-type"] ?? "";
  const text = decode(bytes);
  if (/^multipart\/form-data/i.test(type)) {
    const form = await multipart(bytes, type);
    if (form) return { bodyRaw: text ?? base64(bytes), body: form };
  }
  // Bytes that are not valid text are encoded as base64, with a flag.
  if (text === undefined)
    return { bodyRaw: base64(bytes), body: base64(bytes), isBase64Encoded: true };
  return { bodyRaw: text, body: parsed(text, type) };
}

function parsed(text: string, type: string): Json {
  if (/[/+]json\b/i.test(type)) return jsonOr(text);
  if (/^application\/x-www-form-urlencoded/i.test(type)) return gathered(new URLSearchParams(text));
  return text;
}

/** JSON that is nested too deep stays text, because readers could not serialize it again. */
function jsonOr(text: string): Json {
  if (isTooDeep(text)) return text;
  try {
    return fromJson(text);
  } catch {
    return text;
  }
}

/** Names as sent (`contact[id]` stays one key); a repeated name has a list. */
function gathered(pairs: Iterable<readonly [string, Json]>): Record<string, Json> {
  const lists = new Map<string, Json[]>();
  for (const [name, value] of pairs) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  return Object.fromEntries(
    [...lists].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

async function multipart(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<Record<string, Json> | undefined> {
  try {
    const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
    const fields: [string, Json][] = [];
    for (const [name, value] of form.entries()) fields.push([name, await fieldOf(value)]);
    return gathered(fields);
  } catch {
    return undefined;
  }
}

async function fieldOf(value: string | File): Promise<Json> {
  if (typeof value === "string") return value;
  const mimetype = value.type || "application/octet-stream";
  const content = base64(new Uint8Array(await value.arrayBuffer()));
  return { filename: value.name, mimetype, url: `data:${mimetype};base64,${content}` };
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  return bytes.toBase64();
}
