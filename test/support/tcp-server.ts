import { createServer, type AddressInfo, type Socket } from "node:net";

import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    tcpPort: number;
  }
}

/**
 * Serve TCP: each line that comes is answered by `echo:` and the line, and `quit` ends the connection. The end of the
 * other side is answered by `bye`.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const server = createServer({ allowHalfOpen: true }, serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("tcpPort", (server.address() as AddressInfo).port);
  return () => void server.close();
}

function serve(socket: Socket): void {
  let text = "";
  // Whoever breaks off has no more to say.
  socket.on("error", () => socket.destroy());
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
