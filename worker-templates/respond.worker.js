import { chargeCall } from "./call.worker.js";

/**
 * Respond to the HTTP caller of a run: the first time counts. `send` sends the response at once. A body that is a stream
 * is read to its end before; the run waits for it, and fails if it cannot be sent.
 * @param {import("./call.worker.js").CallContext} context
 * @param {any} given
 * @param {{ what: string, send: (response: import("../src/http/custom-response.ts").CustomResponse) => any }} way
 * @returns {Promise<void> | undefined}
 */
export function respondOnce(context, given, { what, send }) {
  const stream = streamIn(given?.body);
  const { status, statusCode, headers } = given ?? {};
  const response = toResponse(stream ? { status, statusCode, headers } : given);
  if (context.response || context.responding) return undefined;
  const charge = (bytes) => chargeCall(context, bytes, what);
  charge(responseBytes(response));
  const sent = (body) => {
    context.response = { ...response, body };
    return send(context.response);
  };
  if (!stream) return sent(response.body);
  context.responding = contentOf(stream, context, charge).then(sent);
  // The run itself waits for it.
  context.responding.catch(() => {});
  return context.responding;
}

/** A body that is a stream: of Node, of the web, or a generator. */
function streamIn(body) {
  if (typeof body !== "object" || body === null) return undefined;
  if (body instanceof Blob) return body.stream();
  if (typeof body[Symbol.asyncIterator] === "function") return body;
  if (typeof body.pipe === "function")
    throw new TypeError("respond(): body is a stream that cannot be read");
  return undefined;
}

/** The bytes of a stream, each chunk charged. */
async function contentOf(stream, context, charge) {
  const chunks = [];
  for await (const chunk of stream) {
    if (context.ended) throw new Error("respond(): the run ended before the stream of its body");
    const bytes = bytesOf(chunk);
    charge(bytes.byteLength);
    chunks.push(bytes);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function bytesOf(chunk) {
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (ArrayBuffer.isView(chunk))
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError(`respond(): a stream as body has text or bytes, not ${typeof chunk}`);
}

/**
 * Convert a component's argument of `respond()` to a response. Components in use pass a status as text, `statusCode`,
 * or no argument. Throws a RangeError inside the component for a status other than an integer from 100 to 599.
 * @param {any} given
 * @returns {import("../src/http/custom-response.ts").CustomResponse}
 */
function toResponse(given) {
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

const MAX_HEADERS = 1000;

/** Headers by name; a list for several of one name, such as cookies. */
function toHeaders(given) {
  const values = new Map();
  for (const [name, value] of headerEntries(given ?? {}))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null)
        values.set(name, [...(values.get(name) ?? []), String(one)]);
  checkCount([...values.values()].flat().length);
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
  );
}

function checkCount(count) {
  if (count > MAX_HEADERS)
    throw new RangeError(`respond(): a response may have at most ${MAX_HEADERS} headers`);
}

/** Headers are an object, `Headers` of the runtime, or pairs. */
function headerEntries(given) {
  return given instanceof Headers || Array.isArray(given) ? [...given] : Object.entries(given);
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

/**
 * Maximum bytes of a response in an RPC message.
 * @param {import("../src/http/custom-response.ts").CustomResponse} response
 * @returns {number}
 */
function responseBytes({ headers, body }) {
  const texts = Object.entries(headers).flat(2);
  const bytes = typeof body === "string" ? body.length * 2 : (body?.byteLength ?? 0);
  return texts.reduce((sum, text) => sum + text.length * 2, bytes);
}
