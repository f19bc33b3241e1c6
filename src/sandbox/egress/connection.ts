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
  /** Absent where there are no metrics. */
  usage: AnalyticsEngineDataset | undefined;
  tally: EgressTally;
};

/**
 * Let a TCP connection of user code out to the network, by the rules for its requests, and count it for its
 * owner. Ends with the connection; throws where it may not be, or nobody responds, which the isolate sees as an end
 * before anything was said. The runtime hands on neither a connection that begins with TLS nor `startTls`, so those
 * fail before they come here.
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
    throw new TargetRefused(`${address} is the platform itself, which takes requests by fetch`);
  const refusal = refusalOfHost(hostname, allowPrivate);
  if (refusal !== undefined) throw new TargetRefused(refusal);
  return { hostname, port: Number(port || "80") };
}

/** A stream that passes bytes through and counts them. */
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

/** Count a connection as requests are (docs/operations.md has the columns). */
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
    // A connection that cannot be counted is carried all the same.
  }
}
