// The arguments of `$.send`: what cannot be sent throws an error, and unknown arguments are warnings in the log.

const HTTP_FIELDS = ["method", "url", "data", "body", "headers", "params", "auth"];

/** The fields of an upload that are text. */
const S3_TEXTS = [
  "bucket",
  "prefix",
  "key",
  "contentType",
  "endpoint",
  "region",
  "accessKeyId",
  "secretAccessKey",
  "sessionToken",
];

/**
 * The message of each kind, from the arguments of its call.
 * @type {Record<string, (context: any, args: any) => Record<string, any>>}
 */
export const SIDE_EFFECTS = {
  emit(context, args) {
    warnOfMore(context, "emit", args.slice(2));
    const { event, channel } = isOlderForm(args) ? olderForm(args[0]) : newForm(args);
    if (NOT_JSON.has(typeof event)) throw new TypeError("$.send.emit: an event is required");
    const name = optionalText("emit", "channel", channel);
    if (name?.startsWith("$"))
      throw new RangeError(
        `$.send.emit: the channel name "${name}" begins with $, which is kept for the platform`,
      );
    return { event, ...(name && { channel: name }) };
  },
  sse(context, args) {
    const { channel, payload } = fields(context, "sse", args, ["channel", "payload"]);
    return { channel: String(channel ?? ""), payload: payload ?? null };
  },
  http(context, args) {
    const { auth, ...message } = fields(context, "http", args, HTTP_FIELDS);
    required("http", message, ["url"]);
    const { protocol } = new URL(message.url);
    if (protocol !== "http:" && protocol !== "https:")
      throw new TypeError(`$.send.http: url must begin with http or https, got ${message.url}`);
    const method = optionalText("http", "method", message.method);
    if (method !== undefined && !/^[A-Za-z]+$/.test(method))
      throw new TypeError(`$.send.http: method must be a word such as POST, got ${method}`);
    for (const field of ["headers", "params"]) optionalObject("http", field, message[field]);
    return auth ? { ...message, headers: authorised(message.headers, auth) } : message;
  },
  email(context, args) {
    const names = ["subject", "text", "html", "to"];
    const message = fields(context, "email", args, names);
    required("email", message, ["subject"]);
    for (const name of names) optionalText("email", name, message[name]);
    return message;
  },
  s3(context, args) {
    const message = fields(context, "s3", args, [...S3_TEXTS, "payload", "base64"]);
    required("s3", message, ["bucket", "accessKeyId", "secretAccessKey"]);
    for (const name of S3_TEXTS) optionalText("s3", name, message[name]);
    if (message.endpoint && !/^https?:$/.test(new URL(message.endpoint).protocol))
      throw new TypeError("$.send.s3: endpoint must begin with http or https");
    if (!["undefined", "boolean"].includes(typeof message.base64))
      throw new TypeError("$.send.s3: base64 must be true or false");
    return { ...message, ...bytesIn(message.payload) };
  },
};

/** The types of values that JSON leaves out. */
const NOT_JSON = new Set(["undefined", "function", "symbol"]);

/** The fields of the older single argument of `$.send.emit`. */
const OLDER_FIELDS = new Set(["raw_event", "event_name", "name"]);

function isOlderForm([event, ...more]) {
  if (more.length > 0 || typeof event !== "object" || event === null) return false;
  return (
    Object.hasOwn(event, "raw_event") && Object.keys(event).every((key) => OLDER_FIELDS.has(key))
  );
}

function olderForm({ raw_event, event_name, name }) {
  const channel = event_name ?? name;
  return {
    event: { raw_event: raw_event ?? null },
    channel: channel === undefined ? undefined : String(channel),
  };
}

function newForm([event, channel]) {
  return { event, channel };
}

/**
 * The named fields of a message that have a value. The others are warnings.
 * @returns {any}
 */
function fields(context, kind, [given, ...more], names) {
  warnOfMore(context, kind, more);
  if (typeof given !== "object" || given === null)
    throw new TypeError(`$.send.${kind}: an object is required, got ${given}`);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    warn(
      context,
      `$.send.${kind}: ${unknown.join(", ")} ${isOrAre(unknown)} not known, and not sent`,
    );
  return Object.fromEntries(
    names
      .map((name) => [name, given[name]])
      .filter(([, value]) => value !== undefined && value !== null),
  );
}

function isOrAre({ length }) {
  return length === 1 ? "is" : "are";
}

function warnOfMore(context, kind, more) {
  if (more.length > 0) warn(context, `$.send.${kind}: further arguments are not sent`);
}

function warn({ log }, message) {
  log?.write("warn", message);
}

function required(kind, message, names) {
  for (const name of names)
    if (typeof message[name] !== "string" || message[name] === "")
      throw new TypeError(`$.send.${kind}: ${name} is required`);
}

function optionalText(kind, name, value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new TypeError(`$.send.${kind}: ${name} must be text`);
  return value;
}

function optionalObject(kind, name, value) {
  if (value === undefined || value === null) return;
  if (typeof value !== "object" || Array.isArray(value))
    throw new TypeError(`$.send.${kind}: ${name} must be an object`);
}

/** Headers with the credentials of HTTP Basic, which replace another `authorization`. */
function authorised(headers, auth) {
  optionalObject("http", "auth", auth);
  const { username = "", password = "" } = auth;
  const text = `${optionalText("http", "auth.username", username) ?? ""}:${optionalText("http", "auth.password", password) ?? ""}`;
  const others = Object.entries(headers ?? {}).filter(
    ([name]) => name.toLowerCase() !== "authorization",
  );
  const authorization = `Basic ${Buffer.from(text).toString("base64")}`;
  return Object.fromEntries([...others, ["authorization", authorization]]);
}

/** JSON has no bytes: they are sent as base64. */
function bytesIn(payload) {
  if (payload instanceof ArrayBuffer) return bytesIn(new Uint8Array(payload));
  if (!ArrayBuffer.isView(payload)) return {};
  const { buffer, byteOffset, byteLength } = payload;
  return { payload: Buffer.from(buffer, byteOffset, byteLength).toString("base64"), base64: true };
}
