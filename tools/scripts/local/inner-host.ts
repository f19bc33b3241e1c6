import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/**
 * The address at which the processes of a platform reach each other: past the front, a component could claim any client
 * address. Where the loopback interface has more than one address (not on macOS), it is one of its own for each run,
 * which nobody else knows, and which the network of sandbox processes blocks, whatever a name resolves to.
 */
export const INNER_HOST = await loopbackAddress();

/** The networks that sandbox processes never reach, also if they may reach private ones. */
export const INNER_NETWORKS =
  INNER_HOST === LOOPBACK ? [] : [`${INNER_HOST}/32`, `::ffff:${INNER_HOST}/128`];

async function loopbackAddress(): Promise<string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const server = createServer().listen(0, address);
  try {
    await once(server, "listening");
    return address;
  } catch {
    return LOOPBACK;
  } finally {
    server.close();
  }
}
