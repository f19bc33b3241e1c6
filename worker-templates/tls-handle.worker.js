// Clients of HTTP/2 (http2-wrapper, a dependency of got) read a class from the handle of a TLS socket when they are
// loaded. The runtime's handles have none, and no client uses it later.
import { EventEmitter } from "node:events";
import tls from "node:tls";

import { RequestSocket } from "./node-http-socket.worker.js";

tls.TLSSocket = new Proxy(tls.TLSSocket, {
  construct(target, given, newTarget) {
    const socket = Reflect.construct(target, given, newTarget);
    const { _handle: handle } = socket;
    if (handle) Object.assign(handle, { _parentWrap: new EventEmitter() });
    return socket;
  },
});

/** @type {any} */
const module = tls;
const { connect } = module;

/** Before a request they ask the server for its protocol. Requests leave by `fetch`, so that the server is not asked. */
module.connect = (...given) => {
  const options = given.find((argument) => Array.isArray(argument?.ALPNProtocols));
  if (!options?.ALPNProtocols.includes("http/1.1")) return connect(...given);
  const { host, port } = options;
  const nothing = new EventEmitter();
  const socket = new RequestSocket(
    Object.assign(nothing, { protocol: "https:", host, port, destroy() {} }),
  );
  const callback = given.at(-1);
  if (typeof callback === "function") socket.once("secureConnect", callback);
  process.nextTick(() => socket.emit("secureConnect"));
  return Object.assign(socket, { alpnProtocol: "http/1.1" });
};
