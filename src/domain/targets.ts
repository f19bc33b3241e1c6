import ipaddr from "ipaddr.js";

import { withoutDot } from "./address.ts";

/**
 * The reason why a URL may not be reached, or undefined. The network checks resolved addresses: on Cloudflare no
 * private network can be reached, and a local runtime refuses private addresses (tools/scripts/local/network.ts).
 */
export function refusalOf(url: string, allowPrivate: boolean): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    return `${url} is refused: only http and https leave the platform`;
  return refusalOfHost(hostname, allowPrivate);
}

/** Which targets from users may be stored. `allowIpTargets`: Cloudflare's network sends no requests to IP addresses. */
export type TargetRules = { allowPrivateTargets: boolean; allowIpTargets: boolean };

/** The reason why a URL may not be stored as a target, or undefined. */
export function targetRefusal(url: string, rules: TargetRules): string | undefined {
  const refusal = refusalOf(url, rules.allowPrivateTargets);
  return refusal ?? ipRefusal(new URL(url).hostname, rules);
}

function ipRefusal(hostname: string, { allowIpTargets }: TargetRules): string | undefined {
  if (allowIpTargets || !ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""))) return undefined;
  return `${hostname} is refused: Cloudflare sends no requests to IP addresses, so use a host name`;
}

/** Whether a URL contains a user or a password. */
export function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/**
 * The reason why an agent's events may not be sent to a URL, or undefined. It must be https and public; where private targets
 * are allowed, it may be http to the loopback interface, and https to any address.
 */
export function callbackRefusal(url: string, rules: TargetRules): string | undefined {
  const { allowPrivateTargets: allowPrivate } = rules;
  if (!URL.canParse(url)) return "must be a URL";
  const { protocol, hostname, hash } = new URL(url);
  if (hasCredentials(url) || hash !== "") return "must have no user, no password and no fragment";
  const isLocal = allowPrivate && protocol === "http:" && isLoopbackHost(hostname);
  if (protocol !== "https:" && !isLocal) return "must be https";
  return targetRefusal(url, rules);
}

/** The reason why a host may not be reached, or undefined. */
export function refusalOfHost(hostname: string, allowPrivate: boolean): string | undefined {
  if (allowPrivate || !isPrivate(hostname)) return undefined;
  return `${hostname} is refused: private and loopback addresses cannot be reached`;
}

function isPrivate(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (ipaddr.IPv4.isValid(host)) return ipaddr.IPv4.parse(host).range() !== "unicast";
  if (ipaddr.IPv6.isValid(host)) return !isPublicIPv6(ipaddr.IPv6.parse(host));
  return (
    host === "localhost" ||
    /\.(localhost|local|internal|home\.arpa)$/.test(host) ||
    !host.includes(".")
  );
}

/** Whether it is a global unicast address, and none with an embedded IPv4 address for routing. */
function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const isGlobal = first >> 13 === 0b001;
  // ISATAP, under any prefix.
  const carriesIPv4 = (fifth & ~0x0200) === 0 && sixth === 0x5efe;
  return isGlobal && !carriesIPv4 && address.range() === "unicast";
}

/**
 * Whether a URL leads to one of the platform's own origins. The loopback interface has many names, and a local platform
 * is reachable by each.
 */
export function isOwnTarget(url: URL, ownUrls: readonly string[]): boolean {
  return ownUrls.map(parseOwn).some((own) => isSameTarget(url, own));
}

/**
 * Whether a URL may lead to a platform on the loopback interface: a name can resolve to anything, so its port decides.
 */
export function mayBeOwnTarget(url: URL, ownUrls: readonly string[]): boolean {
  return ownUrls.map(parseOwn).some((own) => own.isLocal && isSamePort(url, own));
}

type OwnUrl = Pick<URL, "origin" | "port" | "protocol"> & { isLocal: boolean };

/** The operator configures few of them, and every outgoing request is compared with all. */
const parsedUrls = new Map<string, OwnUrl>();

function parseOwn(text: string): OwnUrl {
  const known = parsedUrls.get(text);
  if (known) return known;
  const { origin, port, protocol, hostname } = new URL(text);
  const parsed = { origin, port, protocol, isLocal: isLoopbackHost(hostname) };
  parsedUrls.set(text, parsed);
  return parsed;
}

function isSameTarget(url: URL, own: OwnUrl): boolean {
  if (withoutDot(url.origin) === own.origin) return true;
  return own.isLocal && isSamePort(url, own) && isLoopbackHost(url.hostname);
}

function isSamePort(url: URL, own: OwnUrl): boolean {
  return url.port === own.port && url.protocol === own.protocol;
}

/** Whether a host of a URL is an address, so that no resolver decides where it leads. */
export function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
}

/** Whether a host of a URL is this machine, as it reaches itself. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (!ipaddr.isValid(host)) return /^(?:.+\.)?localhost$/.test(host);
  return ["loopback", "unspecified"].includes(ipaddr.process(host).range());
}
