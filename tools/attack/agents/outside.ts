import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The response of the server outside, which no program may ever return. */
export const MARK = "reached-the-outside";

/** A server on this machine that counts its connections and requests. */
export type Outside = { host: string; port: number; reached: () => number };

/** Start the server; it does not keep the process alive. It serves its mark as text, and as the export of a module. */
export async function startOutside(): Promise<Outside> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    const isModule = request.url?.endsWith(".mjs") === true;
    response.setHeader("content-type", isModule ? "text/javascript" : "text/plain");
    response.setHeader("connection", "close");
    response.end(isModule ? `export default ${JSON.stringify(MARK)};` : MARK);
  });
  server.on("connection", (socket) => {
    count += 1;
    socket.unref();
  });
  server.on("upgrade", (_, socket) => socket.destroy());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
  const { port } = server.address() as AddressInfo;
  return { host: "127.0.0.1", port, reached: () => count };
}
