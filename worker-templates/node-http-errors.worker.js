// The errors of `node:http`, with the codes that clients check.

/**
 * Set Node's code of an error.
 * @template {Error} E
 * @param {E} error
 * @param {string} code
 * @returns {E & { code: string }}
 */
export function coded(error, code) {
  return Object.assign(error, { code });
}

/**
 * The TypeError for an argument of the wrong type.
 * @param {string} message
 */
export function invalidArgument(message) {
  return coded(new TypeError(message), "ERR_INVALID_ARG_TYPE");
}

/**
 * The error of a connection that the server closed.
 * @param {string} [message]
 */
export function hangUp(message) {
  return coded(new Error(message), "ECONNRESET");
}

/**
 * The error of a request that its signal aborted.
 * @param {AbortSignal} signal
 */
export function abortError({ reason: cause }) {
  const error = coded(new Error("The operation was aborted", { cause }), "ABORT_ERR");
  return Object.assign(error, { name: "AbortError" });
}

const HANDSHAKE = /^TLS handshake failed with (\S+):(\d+): /;
const CONNECTING = /^(connect|getaddrinfo) (E[A-Z]+) (\S+?)(?::(\d+))?$/;

/**
 * The error of a failed connection with the fields of Node's, and always with the name of the host.
 * @param {any} error
 */
export function asInNode(error) {
  const fields = connectionFields(error?.message);
  if (fields !== undefined) return Object.assign(error, fields);
  return /^(?:Network connection lost|socket hang up)/.test(error?.message)
    ? hangUp("socket hang up")
    : error;
}

function connectionFields(message) {
  const [, peer, peerPort] = HANDSHAKE.exec(message) ?? [];
  if (peer !== undefined)
    return {
      code: "ERR_TLS_HANDSHAKE_FAILED",
      syscall: "connect",
      hostname: peer,
      port: Number(peerPort),
    };
  const [, syscall, code, host, port] = CONNECTING.exec(message) ?? [];
  if (code === undefined) return undefined;
  const place = syscall === "connect" ? { address: host, port: Number(port) } : {};
  return { syscall, code, hostname: host, ...place };
}

/**
 * The error that `fetch` rejects with. Node has code and host in its cause: here both have them. The runtime's message
 * ("internal error; reference = …") would not be a readable cause.
 * @param {any} error
 */
export function fetchFailure(error) {
  const mapped = asInNode(error);
  if (mapped.hostname === undefined || mapped.syscall === undefined) return mapped;
  delete mapped.cause;
  mapped.cause = Object.assign(new Error(mapped.message), mapped);
  return mapped;
}
