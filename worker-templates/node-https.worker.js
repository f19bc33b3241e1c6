// The module that `import "https"` loads: requests are those of the harness, all else is the runtime's.
import runtime from "node:https";

import { ClientRequest } from "./node-http-request.worker.js";

export function request(input, options, callback) {
  return new ClientRequest(input, options, callback, https.globalAgent);
}

export function get(input, options, callback) {
  return request(input, options, callback).end();
}

const https = { ...runtime, request, get };

export default https;
export const { Agent, Server, createServer, globalAgent } = runtime;
