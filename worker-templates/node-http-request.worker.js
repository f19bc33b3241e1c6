// A request of `node:http` or `node:https`, sent by `fetch`. The runtime's own differs from Node in features that HTTP
// clients rely on: headers with several values, `rawHeaders`, the `socket` event, streamed bodies, codes of errors.
import { globalAgent } from "node:http";

import { fetch } from "./fetch.worker.js";
import { abortError, asInNode, hangUp, invalidArgument } from "./node-http-errors.worker.js";
import { OutgoingMessage } from "./node-http-headers.worker.js";
import { IncomingMessage } from "./node-http-response.worker.js";
import { RequestSocket } from "./node-http-socket.worker.js";
import { argumentsOf, hostHeader, targetOf, urlOf } from "./node-http-target.worker.js";

// Packages replace globals when they are loaded, some by functions over this module.
const { AbortController, FixedLengthStream, IdentityTransformStream } = /** @type {any} */ (
  globalThis
);

/** `fetch` sends no body with these methods, and Node's clients may set one: it is omitted. */
const BODILESS = new Set(["GET", "HEAD"]);

export class ClientRequest extends OutgoingMessage {
  #abort = new AbortController();
  #body;
  #whole;
  #isOver = false;
  aborted = false;
  finished = false;
  headersSent = false;
  reusedSocket = false;
  shouldKeepAlive = true;
  maxHeadersCount = null;
  /** @type {IncomingMessage | null} */
  res = null;
  /** @type {string} */
  method;
  /** @type {string} */
  protocol;
  /** @type {string} */
  host;
  /** @type {number} */
  port;
  /** @type {string} */
  path;
  agent;

  /** Like Node's: `(url, options?, callback?)` or `(options, callback?)`; `usual` is the agent of the module. */
  constructor(input, given, callback, usual = globalAgent) {
    super({ autoDestroy: false, emitClose: false });
    const { options, onResponse } = argumentsOf(input, given, callback);
    Object.assign(this, targetOf(options, usual));
    this.setAll(options, hostHeader(options, this));
    if (onResponse) this.once("response", onResponse);
    this.socket = new RequestSocket(this);
    if (options.timeout !== undefined) this.setTimeout(options.timeout);
    if (options.signal) this.#obey(options.signal);
    process.nextTick(() => {
      if (!this.destroyed) this.emit("socket", this.socket);
    });
  }

  get connection() {
    return this.socket;
  }

  #obey(signal) {
    const stop = () => void this.destroy(abortError(signal));
    if (signal.aborted) return void process.nextTick(stop);
    signal.addEventListener("abort", stop, { once: true });
    this.once("close", () => signal.removeEventListener("abort", stop));
  }

  /** Send only the headers: the body follows. */
  flushHeaders() {
    this.#send(false);
  }

  end(chunk, encoding, callback) {
    if (typeof chunk === "function") return this.end(undefined, undefined, chunk);
    if (typeof encoding === "function") return this.end(chunk, undefined, encoding);
    this.finished = true;
    const isWhole = !this.headersSent && !this.writableLength && !this.writableEnded;
    if (!isWhole || chunk === undefined || chunk === null)
      return super.end(chunk, encoding, callback);
    this.#whole = bytesOf(chunk, encoding);
    return super.end(callback);
  }

  async _write(chunk, _encoding, callback) {
    this.#send(false);
    this.socket.touch();
    // The request itself reports the error.
    await this.#body?.write(chunk).catch(() => {});
    callback();
  }

  _final(callback) {
    this.#send(true);
    this.#body?.close().catch(() => {});
    callback();
  }

  #send(isWhole) {
    if (this.headersSent || this.destroyed) return;
    this.headersSent = true;
    // `fetch` does not wait for `100 Continue` before it sends a body.
    if (this.hasHeader("expect")) process.nextTick(() => this.emit("continue"));
    this.socket.touch();
    void this.#exchange(isWhole ? this.#whole : this.#streamed());
  }

  #streamed() {
    if (BODILESS.has(this.method)) return undefined;
    const length = Number(this.getHeader("content-length") ?? Number.NaN);
    const { readable, writable } = Number.isInteger(length)
      ? new FixedLengthStream(length)
      : new IdentityTransformStream();
    this.#body = writable.getWriter();
    return readable;
  }

  async #exchange(body) {
    try {
      const response = await fetch(urlOf(this), {
        method: this.method,
        headers: this.toFetch(),
        body: BODILESS.has(this.method) ? undefined : body,
        signal: this.#abort.signal,
        redirect: "manual",
        // Node leaves decoding to the client.
        encodeResponseBody: "manual",
      });
      if (this.destroyed) await response.body?.cancel();
      else this.#receive(response);
    } catch (error) {
      this.destroy(asInNode(error));
    }
  }

  #receive(response) {
    const message = new IncomingMessage(this.socket);
    message.begin(response, this);
    this.res = message;
    this.socket.touch();
    message.once("close", () => this.#close());
    if (!this.emit("response", message)) message.resume();
  }

  /** The exchange has ended, with or without an error. */
  #close() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.socket.rest();
    if (!this.destroyed) super.destroy();
    this.emit("close");
  }

  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(() => this.emit("abort"));
    this.destroy();
  }

  _destroy(given, callback) {
    this.#abort.abort();
    const isUnanswered = !this.res && !this.#isOver;
    callback(given ?? (isUnanswered ? hangUp("socket hang up") : null));
    // After the error, which is emitted in the next tick.
    process.nextTick(() => {
      if (this.res && !this.res.complete) this.res.destroy(hangUp("aborted"));
      process.nextTick(() => this.#close());
    });
  }

  setTimeout(ms, callback) {
    if (callback) this.once("timeout", callback);
    this.timeout = Number(ms);
    this.socket.idleAfter(this.timeout);
    return this;
  }

  clearTimeout() {
    return this.setTimeout(0);
  }

  setNoDelay() {}
  setSocketKeepAlive() {}
  onSocket() {}
  addTrailers() {}
}

function bytesOf(chunk, encoding) {
  if (typeof chunk === "string") return Buffer.from(chunk, encoding ?? "utf8");
  if (chunk instanceof Uint8Array) return chunk;
  throw invalidArgument(
    `The "chunk" argument must be of type string or an instance of Buffer or Uint8Array`,
  );
}
