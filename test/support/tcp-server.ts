import { type AddressInfo, createServer, type Socket } from "node:net";

import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    tcpPort: number;
    postgresPort: number;
    redisPort: number;
  }
}

/**
 * Serve TCP: each received line is answered by `echo:` and the line, and `quit` ends the connection. The end of the
 * other side is answered by `bye`. Beside it, the parts of the protocols of PostgreSQL and Redis with which their
 * clients log in and send one query.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const servers = [echo, postgres, redis].map((serve) =>
    createServer({ allowHalfOpen: true }, (socket) => {
      // A client that aborts expects no response.
      socket.on("error", () => socket.destroy());
      serve(socket);
    }),
  );
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  const [tcpPort = 0, postgresPort = 0, redisPort = 0] = ports;
  project.provide("tcpPort", tcpPort);
  project.provide("postgresPort", postgresPort);
  project.provide("redisPort", redisPort);
  return () => servers.forEach((server) => void server.close());
}

function echo(socket: Socket): void {
  let text = "";
  socket.on("end", () => socket.end("bye"));
  socket.on("data", (chunk) => {
    text += chunk.toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "quit") socket.end();
      else socket.write(`echo:${line}\n`);
    }
  });
}

/** A message of PostgreSQL: its type, its length, its content. */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const READY = message("Z", "I");

/** Every user may log in, and every query has one row of one text, `forty-two`. */
function postgres(socket: Socket): void {
  let isLoggedIn = false;
  socket.on("end", () => socket.end());
  socket.on("data", (chunk) => {
    if (!isLoggedIn) socket.write(Buffer.concat([message("R", [0, 0, 0, 0]), READY]));
    else if (chunk[0] === "Q".charCodeAt(0)) socket.write(ROWS);
    isLoggedIn = true;
  });
}

const TEXT_OID = [0, 0, 0, 25];
const ROWS = Buffer.concat([
  message(
    "T",
    [0, 1],
    "answer\0",
    [0, 0, 0, 0, 0, 0],
    TEXT_OID,
    [255, 255, 255, 255, 255, 255, 0, 0],
  ),
  message("D", [0, 1], [0, 0, 0, 9], "forty-two"),
  message("C", "SELECT 1\0"),
  READY,
]);

/** The response to PING is PONG, and to any other command OK. */
function redis(socket: Socket): void {
  socket.on("end", () => socket.end());
  socket.on("data", (chunk) => {
    for (const command of chunk.toString().split("*").slice(1))
      socket.write(/ping/i.test(command) ? "+PONG\r\n" : "+OK\r\n");
  });
}
