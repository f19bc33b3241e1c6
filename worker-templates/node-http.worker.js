// The module that `import "http"` loads: requests are those of the harness, all else is the runtime's. All names must
// be listed: imports are bound by name.
import runtime from "node:http";

import { OutgoingMessage } from "./node-http-headers.worker.js";
import { ClientRequest } from "./node-http-request.worker.js";
import { IncomingMessage } from "./node-http-response.worker.js";

export function request(input, options, callback) {
  return new ClientRequest(input, options, callback, http.globalAgent);
}

export function get(input, options, callback) {
  return request(input, options, callback).end();
}

// Packages replace its members, and Node then uses the replacements.
const http = { ...runtime, ClientRequest, IncomingMessage, OutgoingMessage, request, get };

export default http;
export { ClientRequest, IncomingMessage, OutgoingMessage };
export const {
  Agent,
  CloseEvent,
  METHODS,
  MessageEvent,
  STATUS_CODES,
  Server,
  ServerResponse,
  WebSocket,
  _connectionListener,
  createServer,
  globalAgent,
  maxHeaderSize,
  setMaxIdleHTTPParsers,
  validateHeaderName,
  validateHeaderValue,
} = /** @type {any} */ (runtime);
