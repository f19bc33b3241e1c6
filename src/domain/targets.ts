import ipaddr from "ipaddr.js";

/** Why a URL may not be reached from here, or undefined when it may. Names resolve outside, where private networks end. */
export function refusalOf(url: string, allowPrivate: boolean): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    return `${url} is refused: only http and https leave the platform`;
  return refusalOfHost(hostname, allowPrivate);
}

/** Why nothing on a host may be reached from here, or undefined when it may. */
export function refusalOfHost(hostname: string, allowPrivate: boolean): string | undefined {
  if (allowPrivate || !isPrivate(hostname)) return undefined;
  return `${hostname} is refused: private and loopback addresses cannot be reached`;
}

function isPrivate(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== "unicast";
  return (
    host === "localhost" ||
    /\.(localhost|local|internal|home\.arpa)$/.test(host) ||
    !host.includes(".")
  );
}
