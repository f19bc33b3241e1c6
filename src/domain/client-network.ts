import ipaddr from "ipaddr.js";

/** Groups of 16 bits that name the network of an IPv6 address: providers give each customer at least a /64. */
const NETWORK_GROUPS = 4;

/** The network of a client's address, by which its attempts are counted: of an IPv6 address the /64. */
export function clientNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
