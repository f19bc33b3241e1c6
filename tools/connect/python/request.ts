import type { Answer, Made, PythonCall } from "./call.ts";

/** A call to be sent: its arguments, the values of the world, and an access token. */
export type PythonRequest = {
  origin: string;
  token: string;
  call: PythonCall;
  args: Record<string, unknown>;
  made: Made;
};

/** Send the request of a call. The SDK follows the cursors of a list to its end. */
export async function sendRequest(request: PythonRequest): Promise<Answer> {
  const first = await sendOne(request, {});
  if (first?.page_info === undefined) return first;
  const data = [...first.data];
  for (let after = first.page_info.end_cursor; typeof after === "string";) {
    const page = await sendOne(request, { after });
    if (page.data.length === 0) break;
    data.push(...page.data);
    after = page.page_info.end_cursor;
  }
  return { ...first, data };
}

async function sendOne(
  { origin, token, call, args, made }: PythonRequest,
  more: Record<string, string>,
): Promise<Answer> {
  const [verb = "", template = ""] = call.request.split(" ");
  const { path, body } = partsOf(call, { template, args, made });
  const url = new URL(`${path}?${queryOf(call, { ...args, ...more })}`, origin);
  const hasBody = verb !== "GET" && verb !== "DELETE";
  const headers = {
    "content-type": "application/json",
    "user-agent": "pipedream/2.1.19",
    "x-fern-language": "Python",
    "x-pd-environment": "development",
    authorization: `Bearer ${token}`,
  };
  const init = { method: verb, headers, ...(hasBody && { body: JSON.stringify(body) }) };
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
}

/** The query of a request. A list becomes a parameter for each of its items. */
function queryOf({ query = [] }: PythonCall, args: Record<string, unknown>): string {
  const values = [...query, "after"].flatMap((name) =>
    [args[name] ?? []].flat().map((value) => [QUERY_NAMES[name] ?? name, parameterText(value)]),
  );
  return new URLSearchParams(values).toString();
}

/** The names of arguments that are others in the query. */
const QUERY_NAMES: Record<string, string> = { s_3_key: "s3_key" };

/** The path of a request, and its body: the arguments that are not elsewhere. */
function partsOf(
  call: PythonCall,
  { template, args, made }: { template: string; args: Record<string, unknown>; made: Made },
): { path: string; body: unknown } {
  const elsewhere = new Set(call.query);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    elsewhere.add(name);
    const value = parameterText(args[name] ?? made[name]);
    return name === "url" ? encodedTarget(value) : encodeURIComponent(value);
  });
  // The body of a proxied request is one argument.
  if (call.call.startsWith("proxy.")) return { path, body: args["body"] };
  const rest = Object.entries(args).filter(([name]) => !elsewhere.has(name));
  const grant = call.call.startsWith("oauth_tokens.") && { grant_type: "client_credentials" };
  return { path, body: { ...Object.fromEntries(rest), ...grant } };
}

function parameterText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The target of the proxy: base64 for URLs, with its padding. */
function encodedTarget(url: string): string {
  return Buffer.from(url).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}
