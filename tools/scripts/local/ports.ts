import { once } from "node:events";
import { createServer } from "node:net";

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  return address.port;
}

/** Wait until a port is free; false when something keeps it. */
export async function portBecomesFree(port: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!(await canListen(port))) {
    if (Date.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 100));
  }
  return true;
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
