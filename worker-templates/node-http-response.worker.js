// The response to a request of `node:http`: a stream of the received bytes, with headers like in Node.
import { STATUS_CODES } from "node:http";
import { Readable } from "node:stream";

import { hangUp } from "./node-http-errors.worker.js";

export class IncomingMessage extends Readable {
  #reader;
  #request;
  aborted = false;
  complete = false;
  headers = {};
  headersDistinct = {};
  rawHeaders = [];
  trailers = {};
  trailersDistinct = {};
  rawTrailers = [];
  httpVersion = "1.1";
  httpVersionMajor = 1;
  httpVersionMinor = 1;
  method = null;
  url = "";
  statusCode = null;
  statusMessage = null;

  constructor(socket) {
    super();
    this.socket = socket;
  }

  get connection() {
    return this.socket;
  }

  /** Copy the response of `fetch`. */
  begin({ headers, status, statusText, body }, request) {
    this.#request = request;
    this.req = request;
    this.statusCode = status;
    this.statusMessage = statusText || (STATUS_CODES[status] ?? "");
    // Set-Cookie is separate for each cookie, all other headers are joined.
    for (const [name, value] of headers) this.#add(name, value);
    this.#reader = body?.getReader();
  }

  #add(name, value) {
    this.rawHeaders.push(name, value);
    this.headersDistinct[name] = [...(this.headersDistinct[name] ?? []), value];
    if (name === "set-cookie") this.headers[name] = this.headersDistinct[name];
    else this.headers[name] = value;
  }

  async _read() {
    try {
      const { done, value } = (await this.#reader?.read()) ?? { done: true };
      this.socket.touch();
      if (!done)
        return void this.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      this.complete = true;
      this.push(null);
    } catch {
      this.destroy(hangUp("aborted"));
    }
  }

  _destroy(error, callback) {
    if (!this.complete) {
      this.aborted = true;
      this.emit("aborted");
      void this.#leave();
      this.#request?.destroy();
    }
    // As in Node, a listener for the end of a response is optional.
    callback(this.listenerCount("error") > 0 ? error : null);
  }

  async #leave() {
    try {
      await this.#reader?.cancel();
    } catch {
      // It was already aborted.
    }
  }

  setTimeout(ms, callback) {
    if (callback) this.on("timeout", callback);
    this.socket.idleAfter(ms);
    return this;
  }
}
