import type { V4WorkerOptions } from "miniflare";

type Service = NonNullable<V4WorkerOptions["serviceBindings"]>[string];

const TLS = { trustBrowserCas: true };

/** Resolves names and connects to any address that they resolve to. */
const OPEN: Service = { network: { allow: ["public", "private"], tlsOptions: TLS } };

/**
 * Blocks an address that is not public after its name was resolved. The runtime knows private, loopback and link-local
 * ranges; the others contain an IPv4 address, or are assigned to no public host.
 */
export const PUBLIC_NETWORK = {
  allow: ["public"],
  deny: [
    "0.0.0.0/8",
    "100.64.0.0/10",
    "192.0.0.0/24",
    "198.18.0.0/15",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/32",
    "2002::/16",
    "fec0::/10",
  ],
};

const PUBLIC: Service = { network: { ...PUBLIC_NETWORK, tlsOptions: TLS } };

const GATE = "wellspring-network";

/** All outgoing traffic of the runtime passes this gate; a blocked request fails with our own message. */
export const GATE_CODE = `
const fail = (error) => {
  if (!/^internal error/.test(error?.message)) throw error;
  throw new TypeError("The target does not respond, or resolves to a private address, which is blocked");
};
export default {
  fetch: (request, { PUBLIC }) => PUBLIC.fetch(request).catch(fail),
  async connect(inbound, { PUBLIC }) {
    const { localAddress } = await inbound.opened;
    const outbound = PUBLIC.connect(localAddress, { allowHalfOpen: true });
    await outbound.opened;
    await Promise.all([
      inbound.readable.pipeTo(outbound.writable),
      outbound.readable.pipeTo(inbound.writable),
    ]);
  },
};`;

/**
 * Block private networks for Workers of a local runtime. A check of URLs does not see a name's addresses, so the
 * runtime's network blocks them; only OPERATOR_NETWORK reaches the operator's configured hosts, wherever they are.
 */
export function offPrivateNetworks(workers: readonly V4WorkerOptions[]): V4WorkerOptions[] {
  const gate: V4WorkerOptions = {
    name: GATE,
    modules: [{ type: "ESModule", path: "network.js", contents: GATE_CODE }],
    compatibilityDate: "2026-10-01",
    serviceBindings: { PUBLIC },
  };
  const kept = workers.map((worker) => ({
    ...worker,
    outboundService: GATE,
    serviceBindings: { ...worker.serviceBindings, OPERATOR_NETWORK: OPEN },
  }));
  return [...kept, gate];
}
