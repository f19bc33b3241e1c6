import { readInTime } from "#domain/body.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "#domain/json-depth.ts";

/** Maximum size of a request, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** JSON-RPC's code for an invalid request. */
const INVALID_REQUEST = -32_600;

/** The request with its whole body, or the JSON-RPC error for a body that is late, too large or nested too deep. */
export async function withBody(request: Request, timeoutMs?: number): Promise<Request | Response> {
  const { url, method, headers, signal } = request;
  if (!request.body) return request;
  const bytes = await readInTime(request, MAX_BODY_BYTES, timeoutMs);
  if (bytes === "late") return refused(408, "The body must arrive within 30 seconds");
  if (!bytes) return refused(413, "The body may have at most 4 MB");
  // Without a byte order mark, which JSON may not have.
  const text = new TextDecoder().decode(bytes);
  if (isTooDeep(text))
    return refused(400, `The body may be nested at most ${MAX_JSON_LEVELS} levels deep`);
  return new Request(url, { method, headers, signal, body: text });
}

function refused(status: number, message: string): Response {
  const error = { code: INVALID_REQUEST, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status });
}
