/**
 * Make what a component gave to `respond()` sendable. Components in use pass a status as text, `statusCode`, or
 * nothing at all. Throws a RangeError inside the component for a status that is no integer from 100 to 599.
 */
export function toResponse(given) {
  const headers = toHeaders(given?.headers);
  return {
    status: toStatus(given?.status ?? given?.statusCode ?? 200),
    body: toBody(given?.body, headers),
    headers,
  };
}

function toStatus(given) {
  const status = Number(given);
  if (!Number.isInteger(status) || status < 100 || status > 599)
    throw new RangeError(`respond(): status must be an integer from 100 to 599, got ${given}`);
  return status;
}

function toHeaders(given) {
  const entries = Object.entries(given ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );
}

function toBody(body, headers) {
  if (body === undefined || body === null) return null;
  if (typeof body === "string") return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "content-type"))
    headers["content-type"] = "application/json";
  return JSON.stringify(body);
}
