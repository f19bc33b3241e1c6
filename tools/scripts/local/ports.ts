import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

import { Refusal } from "./refusal.ts";

// Below the ports that Linux, macOS and Windows use for outgoing connections, so that none takes the port meanwhile.
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const ATTEMPTS = 100;

/** A free port of an address, a different one each time. Throws if the address is not of this machine. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST_PORT + randomInt(PORTS);
    if ((await reserve(port)) && (await canListen(port, host))) return port;
  }
  throw new Error(`No port of ${host} is free`);
}

/** Wait until a port is free; false if a process keeps it. Throws if the address is not of this machine. */
export async function portBecomesFree(
  port: number,
  withinMs: number,
  host = "127.0.0.1",
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  await reserve(port);
  while (!(await canListen(port, host))) {
    if (Date.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 100));
  }
  return true;
}

/**
 * Keep a port from being picked, here and by other processes of ours, before a server listens there: by its UDP port, which
 * nothing uses and the system frees when this process ends. Returns false if the port is reserved already.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket("udp4").bind({ port, address: "127.0.0.1", exclusive: true });
  try {
    await once(socket, "listening");
  } catch {
    socket.close();
    return false;
  }
  socket.unref();
  return true;
}

async function canListen(port: number, host: string): Promise<boolean> {
  // The clients of a killed run reconnect repeatedly; a connection would keep the server from closing.
  const server = createServer((client) => client.destroy()).listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), "code");
    if (code === "EADDRNOTAVAIL")
      throw new Refusal(`HOST must be an address of this machine, not "${host}".`);
    if (code === "EACCES")
      throw new Refusal(`PORT must be one that this user may listen on, not ${port}.`);
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
