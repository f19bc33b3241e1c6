import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { ApiError, type Route } from "./api.ts";
import { fieldsIn } from "./resources.ts";
import { BASE } from "./server.ts";
import type { DeployedWorker } from "./worker.ts";

/** How databases are exported and imported: as files beside the API, which it gives the addresses of. */
export type Transfers = { routes: Route[]; close(): void };

/** Keep files, as the storage does whose addresses are signed. */
export async function openTransfers(worker: DeployedWorker): Promise<Transfers> {
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void (async () => {
      const name = request.url ?? "";
      if (request.method === "PUT") files.set(name, await buffer(request));
      const file = files.get(name);
      if (!file) response.statusCode = 404;
      else response.setHeader("etag", `"${createHash("md5").update(file).digest("hex")}"`);
      response.end(request.method === "GET" ? file : undefined);
    })();
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const done = { success: true, status: "complete", messages: [], at_bookmark: "00000001" };
  const routes: Route[] = [
    [
      `POST ${BASE}/d1/database/:uuid/export`,
      async () => {
        files.set("/export.sql", Buffer.from(await worker.dump()));
        const signed_url = `${origin}/export.sql`;
        return { result: { ...done, result: { filename: "export.sql", signed_url } } };
      },
    ],
    [
      `POST ${BASE}/d1/database/:uuid/import`,
      async ({ body }) => {
        const { action, etag, filename } = fieldsIn(body);
        if (action === "init") {
          const name = `${String(etag)}.sql`;
          return { result: { success: true, filename: name, upload_url: `${origin}/${name}` } };
        }
        const file = files.get(`/${String(filename)}`);
        if (action !== "ingest" || !file) throw new ApiError(400, 7500, "Nothing was uploaded");
        const queries = await worker.query(file.toString());
        const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
        const imported = { num_queries: queries.length, final_bookmark: "00000002", meta };
        return { result: { ...done, type: "import", result: imported } };
      },
    ],
  ];
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { routes, close };
}
