import { ownOf } from "./props.worker.js";

const JSON_TYPE = "application/json";
const BODILESS = new Set(["GET", "HEAD"]);

/**
 * The value of an `http_request` prop: its configuration, and `execute()`, which sends it as the component has changed it.
 * @param {Record<string, any>} config
 */
export function buildHttpRequest(config) {
  const request = {
    ...config,
    execute: () => {
      const { execute: _, ...current } = request;
      return execute(current);
    },
  };
  return request;
}

/** Send a request. Resolves with `{data, status, headers}`; errors are like those of axios. */
async function execute(config) {
  const response = await fetch(toRequest(config)).catch((error) => {
    throw new HttpRequestError(error.message, "ERR_NETWORK", config);
  });
  const result = {
    data: toData(await response.text()),
    status: response.status,
    headers: toHeaders(response.headers),
  };
  if (response.ok) return result;
  const code = response.status >= 500 ? "ERR_BAD_RESPONSE" : "ERR_BAD_REQUEST";
  const message = `Request failed with status code ${response.status}`;
  throw new HttpRequestError(message, code, config, result);
}

/** Components distinguish these errors by `response`, `status`, `code` and `isAxiosError`. */
class HttpRequestError extends Error {
  name = "AxiosError";
  isAxiosError = true;

  constructor(message, code, config, response) {
    super(message);
    this.code = code;
    this.config = config;
    if (!response) return;
    this.response = response;
    this.status = response.status;
  }
}

function toRequest({ method, url, auth, headers, params, body: configured }) {
  const target = new URL(url);
  for (const { name, value } of given(params)) target.searchParams.append(name, value ?? "");
  const verb = String(method || "GET").toUpperCase();
  const { body, type } = BODILESS.has(verb) ? {} : toContent(configured);
  const sent = new Headers({ ...authorization(auth), ...(type && { "content-type": type }) });
  for (const { name, value } of given(headers)) sent.set(name, value ?? "");
  return new Request(target, { method: verb, headers: sent, body });
}

/** Forms may have empty rows and disabled rows; components also assign objects. */
function given(pairs) {
  const rows = Array.isArray(pairs)
    ? pairs
    : Object.entries(pairs ?? {}).map(([name, value]) => ({ name, value }));
  return rows.filter(({ name, disabled }) => name !== "" && !disabled);
}

function authorization(auth) {
  if (auth?.type === "bearer") return { authorization: `Bearer ${auth.token}` };
  if (auth?.type !== "basic") return {};
  const pair = Buffer.from(`${auth.username}:${auth.password ?? ""}`).toString("base64");
  return { authorization: `Basic ${pair}` };
}

/** A body is text, data, or a form's encoding of either: `{mode: "raw" | "fields", contentType, raw, fields}`. */
function toContent(configured) {
  if ((configured ?? "") === "") return {};
  if (typeof configured === "string")
    return { body: configured, ...(isJson(configured) && { type: JSON_TYPE }) };
  const made = ownOf(FORM_MODES, configured.mode ?? configured.type)?.(configured);
  return made ?? { body: JSON.stringify(configured), type: JSON_TYPE };
}

/** A body encoded as a form; undefined if it only resembles one. */
const FORM_MODES = {
  none: () => ({}),
  raw: ({ raw, contentType }) => {
    if (typeof raw !== "string") return undefined;
    return raw === "" ? {} : { body: raw, type: contentType };
  },
  fields: ({ fields, contentType }) =>
    Array.isArray(fields) ? fieldsOf(given(fields), contentType) : undefined,
};

function fieldsOf(fields, contentType = JSON_TYPE) {
  if (fields.length === 0) return {};
  const pairs = fields.map(({ name, value }) => [name, value]);
  if (contentType.includes("urlencoded")) return { body: new URLSearchParams(pairs) };
  if (contentType.includes("multipart")) {
    const form = new FormData();
    for (const [name, value] of pairs) form.append(name, value ?? "");
    return { body: form };
  }
  return { body: JSON.stringify(Object.fromEntries(pairs)), type: contentType };
}

function isJson(text) {
  return typeof toData(text) === "object";
}

function toData(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toHeaders(headers) {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { "set-cookie": cookies }) };
}
