// The errors of `node:http`, with the codes by which clients tell them apart.

export function coded(error, code) {
  return Object.assign(error, { code });
}

export function invalidArgument(message) {
  return coded(new TypeError(message), "ERR_INVALID_ARG_TYPE");
}

/** The other side ended the connection. */
export function hangUp(message) {
  return coded(new Error(message), "ECONNRESET");
}

export function abortError({ reason: cause }) {
  const error = coded(new Error("The operation was aborted", { cause }), "ABORT_ERR");
  return Object.assign(error, { name: "AbortError" });
}

const CONNECTING = /^(connect|getaddrinfo) (E[A-Z]+) (\S+?)(?::(\d+))?$/;

/** What the way out says of a connection that failed, with the fields that Node's error has. */
export function asInNode(error) {
  const [, syscall, code, address, port] = CONNECTING.exec(error?.message) ?? [];
  if (code !== undefined) {
    const place = syscall === "connect" ? { address, port: Number(port) } : { hostname: address };
    return Object.assign(error, { syscall, code, ...place });
  }
  return /^(?:Network connection lost|socket hang up)/.test(error?.message)
    ? hangUp("socket hang up")
    : error;
}
