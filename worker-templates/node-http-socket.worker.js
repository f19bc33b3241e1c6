// The socket of a request for clients of `node:http`. There is no real one: it is open from the start, and measures the
// time since the last byte.
import { EventEmitter } from "node:events";

// oxlint-disable-next-line import/no-unassigned-import -- it replaces the globals.
import "./uncaught.worker.js";

// Packages replace globals when they are loaded.
const { clearTimeout, setTimeout } = globalThis;

export class RequestSocket extends EventEmitter {
  #request;
  #timer;
  #idleMs = 0;
  connecting = false;
  destroyed = false;
  readable = true;
  writable = true;
  authorized = true;
  bytesRead = 0;
  bytesWritten = 0;
  remoteFamily = "IPv4";
  localAddress = "127.0.0.1";
  localPort = 0;

  constructor(request) {
    super();
    this.#request = request;
    this.encrypted = request.protocol === "https:";
    this.remoteAddress = request.host;
    this.remotePort = request.port;
  }

  /** Notify the request after so long without data; 0: never. */
  idleAfter(ms) {
    this.#idleMs = ms;
    this.touch();
  }

  setTimeout(ms, callback) {
    if (callback) this.once("timeout", callback);
    this.idleAfter(ms);
    return this;
  }

  /** Data was received or sent. */
  touch() {
    this.rest();
    if (this.#idleMs <= 0 || this.destroyed) return;
    this.#timer = setTimeout(() => {
      this.emit("timeout");
      this.#request.emit("timeout");
      this.#request.res?.emit("timeout");
    }, this.#idleMs);
  }

  /** Stop the timeout. */
  rest() {
    clearTimeout(this.#timer);
  }

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#request.destroy(error);
    return this;
  }

  end() {
    return this;
  }

  setKeepAlive() {
    return this;
  }

  setNoDelay() {
    return this;
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  cork() {}
  uncork() {}
  address() {
    return {};
  }
  getPeerCertificate() {
    return {};
  }
}
