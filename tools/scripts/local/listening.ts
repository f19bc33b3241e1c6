import { networkInterfaces } from "node:os";

import ipaddr from "ipaddr.js";

import { Refusal } from "./refusal.ts";

const LOOPBACK = "127.0.0.1";

/** Addresses that mean all addresses of a machine. */
const UNSPECIFIED = new Set(["0.0.0.0", "::"]);

/** The address in `HOST`, in its shortest form; throws if there is none. */
export function listeningAddress(text = LOOPBACK): string {
  if (text === "localhost") return LOOPBACK;
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text))
    throw new Refusal(`HOST must be an IP address or localhost, not "${text}".`);
  return ipaddr.parse(text).toString();
}

/** The URL of a server that listens at an address, for clients on this machine. */
export function localUrl(address: string, port: number): string {
  if (!UNSPECIFIED.has(address)) return urlOf(address, port);
  return urlOf(address === "::" ? "::1" : LOOPBACK, port);
}

/** The URLs of a server that listens at an address, for other machines. */
export function networkUrls(address: string, port: number): string[] {
  if (isLoopback(address)) return [];
  if (!UNSPECIFIED.has(address)) return [urlOf(address, port)];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && (address === "::" || family === "IPv4"))
    .filter(({ address: each }) => ipaddr.parse(each).range() !== "linkLocal")
    .map(({ address: each }) => urlOf(each, port));
}

/** Whether a host, of a URL or by itself, is a loopback address of this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (!ipaddr.isValid(address)) return /^(?:.+\.)?localhost$/.test(address);
  return ipaddr.process(address).range() === "loopback";
}

function urlOf(address: string, port: number): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
