// Clients of HTTP/2 (http2-wrapper, which got brings along) read a class off the handle of a TLS socket when they are
// loaded. The runtime's handles have none, and no client gets as far as to use it.
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
