import ipaddr from "ipaddr.js";

import { Refusal } from "./refusal.ts";

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** Finds the client of a request behind the proxies that the operator trusts. */
export class TrustedProxies {
  readonly #ranges: readonly Range[];

  /** Read `TRUSTED_PROXIES`: addresses and ranges (CIDR) between commas. Throws on any other value. */
  constructor(text = "") {
    const items = text.split(",").map((item) => item.trim());
    this.#ranges = items.filter((item) => item !== "").map(rangeOf);
  }

  /** Whether there are none: then no peer may set the client's address. */
  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /**
   * The address of a request's client: the peer or, if that is a proxy, the last address in `x-forwarded-for` that is
   * not a proxy. Addresses before it there may be forged.
   */
  clientOf(peer: string, forwardedFor: string): string {
    let client = addressIn(peer);
    const passedOn = forwardedFor.split(",");
    while (client && this.#includes(client) && passedOn.length > 0) {
      const before = addressIn(passedOn.pop() ?? "");
      if (!before) break;
      client = before;
    }
    return client?.toString() ?? "";
  }

  #includes(address: Address): boolean {
    return this.#ranges.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
    );
  }
}

function rangeOf(text: string): Range {
  const [address = "", bits] = text.split("/");
  const parsed = isAddress(address) ? ipaddr.process(address) : undefined;
  const isRange = bits === undefined || ipaddr.isValidCIDR(`${parsed?.toString()}/${bits}`);
  if (!parsed || !isRange)
    throw new Refusal(
      `TRUSTED_PROXIES must be IP addresses or CIDR ranges between commas, not "${text}".`,
    );
  return [parsed, Number(bits ?? parsed.toByteArray().length * 8)];
}

/** An address, with or without a port; an IPv4 address mapped to IPv6 becomes IPv4. */
function addressIn(text: string): Address | undefined {
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? [];
  const address = v6 ?? v4 ?? text.trim();
  return isAddress(address) ? ipaddr.process(address) : undefined;
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
