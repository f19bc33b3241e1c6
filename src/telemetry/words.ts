const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The class of an HTTP status: `2xx`. 0: there was no response. */
export function classOf(status: number): string {
  return status === 0 ? "failed" : `${Math.floor(status / 100)}xx`;
}

/** A method by its name, or `other`: a client may send any. */
export function methodOf(method: string): string {
  return METHODS.has(method) ? method : "other";
}
