import type { TrustedProxies } from "./trusted-proxies.ts";

/** The maximum bytes of a head: more than the runtime accepts. */
const MAX_HEAD_BYTES = 64 * 1024;

/** The maximum bytes of a line with the size of a chunk. */
const MAX_LINE_BYTES = 1024;

const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\s]+) HTTP\/1\.[01]$/;

/** The targets from which the runtime builds a URL: a path or a URL, but no `*`, which asks about the whole server. */
const TARGET = /^(?:\/|https?:\/\/)/i;

/** Cloudflare's edge forwards neither to a Worker: one opens a tunnel, the other echoes credentials. */
const REFUSED_METHODS = new Set(["CONNECT", "TRACE"]);

/** All other methods that the runtime knows. */
const METHODS = new Set(
  (
    "GET HEAD POST PUT PATCH DELETE OPTIONS QUERY PURGE BAN COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK ACL " +
    "REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE"
  ).split(" "),
);

/** Every line is one header. An ambiguous line is rejected: it can hide requests. */
const HEADERS = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\0]*\r\n)*$/;

/**
 * Miniflare's own headers, which choose a Worker and a URL for a request, offers of other protocols, and the address of
 * the client, which the front sets.
 */
const INTERNAL_HEADERS =
  /(?<=^|\n)(?:mf-[^:]*|upgrade|http2-settings|cf-connecting-ip(?:v6)?):[^\n]*\n/gi;

/** The runtime builds a URL from this and the target. */
const HOST = /(?:^|\n)host:[ \t]*([^\r]*?)[ \t]*\r/gi;

const FORWARDED_FOR = /(?:^|\n)x-forwarded-for:([^\r]*)\r/gi;
const FRAMING = /(?:^|\n)(content-length|transfer-encoding):[ \t]*([^\r]*?)[ \t]*\r/gi;

/** The reason for not forwarding a request. */
export type Rejection = { status: 400 | 405 | 431 | 501 | 503; message: string };

/** The bytes to forward; after a rejection nothing more is read. */
export type Framed = { pass: Buffer[]; rejection?: Rejection };

type Held = { at: "head" | "size" | "trailer"; held: Buffer };
type Counted = { at: "body" | "chunk"; left: number };
type State = Held | Counted;

type Step = { pass: Buffer; rest: Buffer; next: State };

/**
 * Follows the HTTP/1.1 requests of one connection, to see the head of each and nothing else. Bodies pass unchanged. RFC
 * 9112 defines the framing of requests; where it leaves a choice, this reader is strict.
 */
export class RequestFraming {
  readonly #peer: string;
  readonly #proxies: TrustedProxies;
  #state: State = { at: "head", held: Buffer.alloc(0) };
  #isClosed = false;

  /** `peer`: the address at the other end of the connection. */
  constructor(peer: string, proxies: TrustedProxies) {
    this.#peer = peer;
    this.#proxies = proxies;
  }

  /** Forward only the request that is being read. */
  close(): void {
    this.#isClosed = true;
  }

  /** Read bytes from a client. */
  read(bytes: Buffer): Framed {
    const pass: Buffer[] = [];
    for (let rest = bytes; rest.length > 0;) {
      const step = this.#step(rest);
      if ("status" in step) return { pass, rejection: step };
      if (step.pass.length > 0) pass.push(step.pass);
      this.#state = step.next;
      rest = step.rest;
    }
    return { pass };
  }

  #step(bytes: Buffer): Step | Rejection {
    const state = this.#state;
    if ("left" in state) return counted(bytes, state);
    const held = state.held.length === 0 ? bytes : Buffer.concat([state.held, bytes]);
    if (state.at === "head") return this.#head(held);
    return state.at === "size" ? chunkSize(held) : trailer(held);
  }

  #head(held: Buffer): Step | Rejection {
    // RFC 9112, 2.2: an empty line before a request is no request.
    if (held.subarray(0, 2).equals(LINE_END)) return waiting("head", held.subarray(2));
    const end = held.indexOf(HEAD_END);
    if (end > MAX_HEAD_BYTES || (end < 0 && held.length > MAX_HEAD_BYTES))
      return { status: 431, message: `The head of a request has at most ${MAX_HEAD_BYTES} bytes` };
    if (end < 0) return { pass: EMPTY, rest: EMPTY, next: { at: "head", held } };
    const text = held.toString("latin1", 0, end + 2);
    const lineEnd = text.indexOf("\r\n");
    const head = { line: text.slice(0, lineEnd), headers: text.slice(lineEnd + 2) };
    const next = this.#problem(head) ?? bodyOf(head.headers);
    if ("status" in next) return next;
    const pass = Buffer.from(rewritten(head, this.#clientOf(head)), "latin1");
    return { pass, rest: held.subarray(end + HEAD_END.length), next };
  }

  #problem(head: Head): Rejection | undefined {
    if (this.#isClosed) return { status: 503, message: "The platform is shutting down" };
    return problemOf(head);
  }

  #clientOf({ headers }: Head): string {
    const forwardedFor = this.#proxies.isEmpty
      ? []
      : [...headers.matchAll(FORWARDED_FOR)].map(([, value = ""]) => value);
    return this.#proxies.clientOf(this.#peer, forwardedFor.join(","));
  }
}

const EMPTY = Buffer.alloc(0);

type Head = { line: string; headers: string };

function problemOf({ line, headers }: Head): Rejection | undefined {
  const [, method, target = ""] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || !HEADERS.test(headers)) return malformed("The head");
  if (REFUSED_METHODS.has(method)) return { status: 405, message: `${method} is not allowed` };
  if (!METHODS.has(method)) return { status: 501, message: `The method ${method} is unknown` };
  return problemOfTarget(target, headers);
}

function problemOfTarget(target: string, headers: string): Rejection | undefined {
  if (!TARGET.test(target))
    return { status: 400, message: "The target of a request must be a path" };
  return hasPlainHost(headers) ? undefined : malformed("The host");
}

function hasPlainHost(headers: string): boolean {
  const [only, ...more] = headers.matchAll(HOST);
  return more.length === 0 && (only === undefined || /^[\w.:[\]-]*$/.test(only[1] ?? ""));
}

/** The framing of the body that these headers announce. */
function bodyOf(headers: string): State | Rejection {
  const [only, ...more] = headers.matchAll(FRAMING);
  if (only === undefined) return { at: "head", held: EMPTY };
  const [, name = "", value = ""] = only;
  if (more.length > 0) return malformed("The length of the request");
  return name.toLowerCase() === "content-length" ? bodyOfLength(value) : bodyInChunks(value);
}

function bodyOfLength(text: string): State | Rejection {
  if (!/^\d{1,15}$/.test(text)) return malformed("The content length");
  const left = Number(text);
  return left === 0 ? { at: "head", held: EMPTY } : { at: "body", left };
}

function bodyInChunks(encoding: string): State | Rejection {
  if (encoding.toLowerCase() !== "chunked") return malformed("The transfer encoding");
  return { at: "size", held: EMPTY };
}

function rewritten({ line, headers }: Head, clientIp: string): string {
  return `${line}\r\nCF-Connecting-IP: ${clientIp}\r\n${headers.replaceAll(INTERNAL_HEADERS, "")}\r\n`;
}

/** The next bytes of a body, or of a chunk with the line end after it. */
function counted(bytes: Buffer, { at, left }: Counted): Step {
  const pass = bytes.subarray(0, left);
  const rest = bytes.subarray(pass.length);
  if (pass.length < left) return { pass, rest, next: { at, left: left - pass.length } };
  return { pass, rest, next: { at: at === "body" ? "head" : "size", held: EMPTY } };
}

function chunkSize(held: Buffer): Step | Rejection {
  const end = held.indexOf(LINE_END);
  if (end < 0 && held.length <= MAX_LINE_BYTES) return waiting("size", held);
  const size = end < 0 ? "" : held.toString("latin1", 0, end);
  if (!/^[0-9A-Fa-f]{1,8}$/.test(size)) return malformed("The size of a chunk");
  const [pass, rest] = [held.subarray(0, end + 2), held.subarray(end + 2)];
  const length = Number.parseInt(size, 16);
  if (length === 0) return { pass, rest, next: { at: "trailer", held: EMPTY } };
  return { pass, rest, next: { at: "chunk", left: length + LINE_END.length } };
}

/** After the last chunk: only the empty line. No known client sends more, and the runtime would drop it. */
function trailer(held: Buffer): Step | Rejection {
  if (held.length < LINE_END.length) return waiting("trailer", held);
  const [pass, rest] = [held.subarray(0, 2), held.subarray(2)];
  if (!pass.equals(LINE_END)) return malformed("The end of the body");
  return { pass, rest, next: { at: "head", held: EMPTY } };
}

function waiting(at: Held["at"], held: Buffer): Step {
  return at === "head" && held.length > 0
    ? { pass: EMPTY, rest: held, next: { at, held: EMPTY } }
    : { pass: EMPTY, rest: EMPTY, next: { at, held } };
}

function malformed(what: string): Rejection {
  return { status: 400, message: `${what} is ambiguous` };
}
