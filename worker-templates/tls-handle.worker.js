// Clients of HTTP/2 (http2-wrapper, a dependency of got) read a class from the handle of a TLS socket when they are
// loaded. The runtime's handles have none, and no client uses it later.
import { EventEmitter } from "node:events";
import tls from "node:tls";

tls.TLSSocket = new Proxy(tls.TLSSocket, {
  construct(target, given, newTarget) {
    const socket = Reflect.construct(target, given, newTarget);
    const { _handle: handle } = socket;
    if (handle) Object.assign(handle, { _parentWrap: new EventEmitter() });
    return socket;
  },
});
