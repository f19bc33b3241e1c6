import { connect } from "cloudflare:sockets";

import type { OwnerId } from "#domain/ids.ts";
import { isOwnTarget, refusalOfHost } from "#domain/targets.ts";

import { TargetRefused } from "./guarded-fetch.ts";
import type { EgressTally } from "./tally.ts";

/** The owner of a connection, the operator's rules, and the counters. */
type Connecting = {
  owner: OwnerId;
  allowPrivate: boolean;
  gatewayUrl: string;
  /** The origins of the platform. */
  ownUrls: readonly string[];
  /** Absent without metrics. */
  usage: AnalyticsEngineDataset | undefined;
  tally: EgressTally;
};

/**
 * Forward a TCP connection of user code to the network, by the rules for its requests, and count it for its owner. Ends
 * with the connection; throws if it is forbidden or nobody responds, which the isolate sees as an end without data. The
 * runtime forwards neither a connection that begins with TLS nor `startTls`: those fail earlier.
 */
export async function carry(inbound: Socket, means: Connecting): Promise<void> {
  const startMs = Date.now();
  const [sent, received] = [countingBytes(), countingBytes()];
  let isOpen = false;
  try {
    const { localAddress = "" } = await inbound.opened;
    const outbound = connect(targetOf(localAddress, means), { allowHalfOpen: true });
    await outbound.opened;
    isOpen = true;
    await Promise.all([
      inbound.readable.pipeThrough(sent.stream).pipeTo(outbound.writable),
      outbound.readable.pipeThrough(received.stream).pipeTo(inbound.writable),
    ]);
  } finally {
    const bytes = [sent.bytes(), received.bytes()] as const;
    count(means, { isOpen, durationMs: Date.now() - startMs, bytes });
  }
}

/** The host and port of the target. Throws if it is not allowed. */
function targetOf(
  address: string,
  { allowPrivate, gatewayUrl, ownUrls }: Connecting,
): SocketAddress {
  // If all requests go through an egress gateway, nothing may bypass it.
  if (gatewayUrl !== "") throw new TypeError(`${address} is refused: TCP passes no egress gateway`);
  // Parsed as http, which normalises every form of an IPv4 address and omits port 80.
  const target = new URL(`http://${address}`);
  const { hostname, port } = target;
  // Requests over it would have no cause, so they could loop for ever.
  if (isOwnTarget(target, ownUrls) || isOwnTarget(new URL(`https://${address}`), ownUrls))
    throw new TargetRefused(
      `${address} is the platform itself, which accepts only requests by fetch`,
    );
  const refusal = refusalOfHost(hostname, allowPrivate);
  if (refusal !== undefined) throw new TargetRefused(refusal);
  return { hostname, port: Number(port || "80") };
}

/** A stream that forwards bytes and counts them. */
function countingBytes() {
  let length = 0;
  const stream = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  return { stream, bytes: () => length };
}

type Connection = { isOpen: boolean; durationMs: number; bytes: readonly [number, number] };

/** Count a connection like requests (docs/monitoring.md has the columns). */
function count(
  { owner, usage, tally }: Connecting,
  { isOpen, durationMs, bytes: [sentBytes, receivedBytes] }: Connection,
): void {
  tally.add(owner, { requests: 1, sentBytes, receivedBytes, unmeasured: 0 });
  try {
    usage?.writeDataPoint({
      indexes: [owner],
      blobs: [isOpen ? "2xx" : "failed", "CONNECT", "loader"],
      doubles: [1, durationMs, sentBytes, receivedBytes, 0],
    });
  } catch {
    // A failure to count does not end the connection.
  }
}
