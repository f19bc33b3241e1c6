import type { Address } from "./address.ts";
import { bodyText, decoderFor, utf8Text } from "./body-text.ts";
import { formPairs } from "./form-pairs.ts";
import { isTooDeep } from "./json-depth.ts";
import { fromJson, isJsonObject, type Json } from "./json.ts";

/** A request to an endpoint without its body. Header names are in lower case. */
type RequestHead = {
  method: string;
  url: Pick<Address, "href" | "search">;
  /** The path below the endpoint. */
  path: string;
  headers: Record<string, string>;
  clientIp: string;
};

/** A request, read to the end; `bytes`: its body, decompressed. */
export type ReceivedRequest = RequestHead & { bytes: Uint8Array<ArrayBuffer> };

/** The body of an event. `isBase64Encoded`: `bodyRaw` is base64, as its bytes are not UTF-8. */
type EventBody = { bodyRaw: string; isBase64Encoded?: true; body?: Json };

/**
 * The event that `run` receives for an HTTP request (docs/contract.md: HTTP interface). Without a body its `bodyRaw` is
 * empty, and it has no `body`.
 */
export async function httpEvent(request: ReceivedRequest): Promise<Json> {
  return requestEvent(request, await bodyOf(request));
}

/** The event of a request whose body the platform itself has. By default it has none. */
export function requestEvent(
  { method, url, path, headers, clientIp }: RequestHead,
  body: EventBody = { bodyRaw: "" },
): Record<string, Json> {
  return {
    method,
    path,
    query: url.search === "" ? {} : gathered(new URLSearchParams(url.search)),
    headers,
    ...body,
    url: url.href,
    client_ip: clientIp,
  };
}

async function bodyOf({ bytes, headers }: ReceivedRequest): Promise<EventBody> {
  if (bytes.length === 0) return { bodyRaw: "" };
  const type = headers["content-type"] ?? "";
  const text = utf8Text(bytes);
  const raw: EventBody =
    text === undefined ? { bodyRaw: bytes.toBase64(), isBase64Encoded: true } : { bodyRaw: text };
  const body = await parsed(bytes, type, text);
  return { ...raw, body: body === undefined ? raw.bodyRaw : body };
}

/** A body by its type; undefined for bytes that are not text. */
async function parsed(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  utf8: string | undefined,
): Promise<Json | undefined> {
  const form = /^multipart\/form-data/i.test(type) ? await multipart(bytes, type) : undefined;
  if (form) return form;
  const text = bodyText(bytes, type, utf8);
  if (text === undefined) return undefined;
  const value = /[/+]json\b/i.test(type) ? jsonIn(text) : undefined;
  if (value !== undefined) return value;
  return /^application\/x-www-form-urlencoded/i.test(type) ? formIn(text, bytes, type) : text;
}

/** Programs that send JSON without a type send it as a form, as `curl -d` does. */
function formIn(text: string, bytes: Uint8Array, type: string): Json {
  const value = /^\s*[{[]/.test(text) ? jsonIn(text) : undefined;
  if (Array.isArray(value) || isJsonObject(value)) return value;
  const decoder = decoderFor(bytes, type);
  return gathered((decoder && formPairs(bytes, decoder)) ?? new URLSearchParams(text));
}

/** JSON that is nested too deep stays text, because readers could not serialize it again. */
function jsonIn(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return fromJson(text);
  } catch {
    return undefined;
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
  const content = new Uint8Array(await value.arrayBuffer()).toBase64();
  return { filename: value.name, mimetype, url: `data:${mimetype};base64,${content}` };
}
