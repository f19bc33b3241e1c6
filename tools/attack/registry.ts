import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The invalid \`dist\` of each hostile package, by its name. */
const DISTS: Record<string, object | undefined> = {
  "odd-shasum": { shasum: "zz not hex" },
  "odd-integrity": { integrity: "sha512-\u0000??" },
  "no-dist": undefined,
};

/** A registry that returns invalid documents. */
export async function startRegistry() {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "/").slice(1));
    if (name.startsWith("-/") || !(name in DISTS)) {
      response.end("<html>");
      return;
    }
    const tarball = `http://${request.headers.host}/-/${name}.tgz`;
    const dist = DISTS[name] && { tarball, ...DISTS[name] };
    const versions = { "1.0.0": { name, version: "1.0.0", dist } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
