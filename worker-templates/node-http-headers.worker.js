// The headers of a request as in `node:http`: by name, in their original spelling, with one value or several.
import { validateHeaderName, validateHeaderValue } from "node:http";
import { Writable } from "node:stream";

import { coded } from "./node-http-errors.worker.js";

/** The runtime sets these itself, depending on the body and the connection. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** An outgoing message, with the header methods of Node's `OutgoingMessage`. */
export class OutgoingMessage extends Writable {
  headersSent = false;
  #headers = new Map();

  setHeader(name, value) {
    this.#check(name, value);
    this.#headers.set(name.toLowerCase(), { name, value });
    return this;
  }

  appendHeader(name, value) {
    const earlier = this.getHeader(name);
    if (earlier === undefined) return this.setHeader(name, value);
    return this.setHeader(name, [earlier, value].flat());
  }

  setHeaders(headers) {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  getHeader(name) {
    return this.#headers.get(String(name).toLowerCase())?.value;
  }

  hasHeader(name) {
    return this.#headers.has(String(name).toLowerCase());
  }

  removeHeader(name) {
    this.#headers.delete(String(name).toLowerCase());
  }

  getHeaderNames() {
    return [...this.#headers.keys()];
  }

  getRawHeaderNames() {
    return Array.from(this.#headers.values(), ({ name }) => name);
  }

  getHeaders() {
    const headers = Object.create(null);
    for (const [name, { value }] of this.#headers) headers[name] = value;
    return headers;
  }

  /** The initial headers of a request: an object, or a list, which is kept unchanged. */
  setAll({ headers, auth }, host) {
    if (Array.isArray(headers))
      for (const [name, value] of pairsOf(headers)) this.appendHeader(name, value);
    else this.#setUsual({ headers, auth, host });
  }

  #setUsual({ headers, auth, host }) {
    for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    if (host !== undefined && !this.hasHeader("host")) this.setHeader("Host", host);
    if (auth && !this.hasHeader("authorization"))
      this.setHeader("Authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
  }

  /** The headers for `fetch`. */
  toFetch() {
    const pairs = [];
    for (const [key, { name, value }] of this.#headers) {
      if (OF_THE_CONNECTION.has(key)) continue;
      const values = Array.isArray(value) ? value.map(String) : [String(value)];
      if (key === "cookie") pairs.push([name, values.join("; ")]);
      else pairs.push(...values.map((one) => [name, one]));
    }
    return pairs;
  }

  #check(name, value) {
    if (this.headersSent)
      throw coded(
        new Error("Cannot set headers after they are sent to the client"),
        "ERR_HTTP_HEADERS_SENT",
      );
    validateHeaderName(name);
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(name, one);
  }
}

function pairsOf(list) {
  if (Array.isArray(list[0])) return list;
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []));
}
