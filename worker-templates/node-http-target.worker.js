// The target of a request of `node:http`, by the arguments and options of Node.
import { urlToHttpOptions } from "node:url";

import { coded, invalidArgument } from "./node-http-errors.worker.js";

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const NOT_IN_PATH = /[^\u0021-\u00ff]/;
const PORTS = { "http:": 80, "https:": 443 };

/**
 * Parse `(url, options?, callback?)` and `(options, callback?)`.
 * @param {any} input a URL, its text, or options
 * @param {any} given
 * @param {any} callback
 */
export function argumentsOf(input, given, callback) {
  const isUrl = typeof input === "string" || input instanceof URL;
  const target = isUrl ? urlToHttpOptions(/** @type {any} */ (new URL(input))) : {};
  const [options, onResponse] = isUrl ? [given, callback] : [input, given];
  if (typeof options === "function") return { options: target, onResponse: options };
  return { options: { ...target, ...options }, onResponse };
}

/**
 * The agent, method and address of a request; `usual` is the agent of the module.
 * @param {any} options
 * @param {any} usual
 */
export function targetOf(options, usual) {
  const { _defaultAgent: standard = usual } = options;
  const agent = options.agent || standard;
  const protocol = protocolOf(options, { agent, usual: standard });
  const host = hostOf(options);
  const port = Number(options.port || options.defaultPort || PORTS[protocol]);
  const path = pathOf(options);
  refuseProxy(agent, `${protocol}//${host}:${port}${path}`);
  return { agent, protocol, host, port, path, method: methodOf(options) };
}

/**
 * The `Host` header; undefined if the options disable it.
 * @param {{ setHost?: boolean }} options
 * @param {{ host: string, port: number | string, protocol: string }} target
 */
export function hostHeader({ setHost = true }, { host, port, protocol }) {
  if (!setHost) return undefined;
  return port === PORTS[protocol] ? host : `${host}:${port}`;
}

/**
 * The URL of a target.
 * @param {{ protocol: string, host: string, port: number | string, path: string }} target
 * @returns {string}
 */
export function urlOf({ protocol, host, port, path }) {
  if (!/^[/?*]/.test(path))
    throw new TypeError(`A request to a proxy cannot be sent from here: ${path}`);
  return `${protocol}//${host}:${port}${path.startsWith("/") ? "" : "/"}${path}`;
}

/** A request with an agent for a proxy must not bypass it. */
function refuseProxy(agent, url) {
  const proxy = agent.proxy || agent.getProxyForUrl?.(url);
  if (!proxy) return;
  throw coded(
    new Error(`The proxy${addressOf(proxy)} cannot be used: requests leave here directly`),
    "ERR_PROXY_UNSUPPORTED",
  );
}

/** The address of a proxy, without its credentials. */
function addressOf(proxy) {
  const url = URL.parse(String(proxy.href ?? proxy));
  if (url?.host) return ` ${url.protocol}//${url.host}`;
  const { host } = proxy;
  return host ? ` ${host}` : "";
}

/** Agents of `agent-base` connect by either protocol; theirs is a guess from the stack of the call. */
function takesAnyProtocol({ isSecureEndpoint, promisifiedCallback, secureProxy }) {
  return [isSecureEndpoint, promisifiedCallback, secureProxy].some((one) => one !== undefined);
}

function protocolOf(options, { agent, usual }) {
  const protocol = options.protocol || usual.protocol;
  const expected = agent.protocol || usual.protocol;
  if (protocol === expected || agent.protocol === undefined || takesAnyProtocol(agent))
    return protocol;
  throw coded(
    new TypeError(`Protocol "${protocol}" not supported. Expected "${expected}"`),
    "ERR_INVALID_PROTOCOL",
  );
}

/** Addresses of version 6 are written in brackets. */
function hostOf({ hostname, host }) {
  const given = hostname || host || "localhost";
  return given.includes(":") && !given.startsWith("[") ? `[${given}]` : given;
}

function pathOf({ path }) {
  if (NOT_IN_PATH.test(path ?? ""))
    throw coded(
      new TypeError("Request path contains unescaped characters"),
      "ERR_UNESCAPED_CHARACTERS",
    );
  return path || "/";
}

function methodOf({ method = "GET" }) {
  if (typeof method !== "string")
    throw invalidArgument(`The "options.method" property must be of type string`);
  if (method !== "" && !TOKEN.test(method))
    throw coded(
      new TypeError(`Method must be a valid HTTP token ["${method}"]`),
      "ERR_INVALID_HTTP_TOKEN",
    );
  return method.toUpperCase() || "GET";
}
