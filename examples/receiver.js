/**
 * Receives webhooks, verifies them by the signing secret in SECRET and prints their events. It needs nothing but Node:
 * `SECRET=whsec_… PORT=9000 node examples/receiver.js`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const TOLERANCE_SECONDS = 300;

/** Whether a delivery was signed with a secret, and lately. `body` is the text as it was received. */
export function isAuthentic({ headers, body, secret }) {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  // While secrets are rotated, there is a signature of each.
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ""), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  const verified = isAuthentic({
    headers: request.headers,
    body,
    secret: process.env.SECRET ?? "",
  });
  process.stdout.write(`${verified ? "verified" : "forged"} ${body}\n`);
  // What is not 2xx is tried again.
  response.writeHead(verified ? 204 : 401).end();
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1");
