import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";

import { serve } from "../serve.ts";
import { ApiError, type Route } from "./api.ts";
import { fieldsIn } from "./resources.ts";
import { BASE } from "./server.ts";
import { refusalOfSize } from "./sql.ts";
import type { DeployedWorker } from "./worker.ts";

/** The exports and imports of databases: as files beside the API, which returns their addresses. */
export type Transfers = { routes: Route[]; close: () => void };

/** Store files, like the storage with signed addresses. */
export async function openTransfers(
  workerAt: (database: string | undefined) => DeployedWorker,
): Promise<Transfers> {
  const bookmarks = new Map<string, object>();
  const files = new Map<string, Buffer>();
  const { origin, close } = await serve(async (request, response) => {
    const name = request.url ?? "";
    if (request.method === "PUT") files.set(name, await buffer(request));
    const file = files.get(name);
    if (!file) response.statusCode = 404;
    else response.setHeader("etag", `"${md5Of(file)}"`);
    response.end(request.method === "GET" ? file : undefined);
  });
  const done = { success: true, status: "complete", messages: [], at_bookmark: "00000001" };
  const routes: Route[] = [
    [
      `POST ${BASE}/d1/database/:uuid/export`,
      async ({ params }) => {
        const worker = workerAt(params["uuid"]);
        files.set("/export.sql", Buffer.from(await worker.dump()));
        const signed_url = `${origin}/export.sql`;
        return { result: { ...done, result: { filename: "export.sql", signed_url } } };
      },
    ],
    [
      `POST ${BASE}/d1/database/:uuid/import`,
      async ({ params, body }) => {
        const { action, etag, filename, current_bookmark: bookmark } = fieldsIn(body);
        if (action === "init") {
          if (!/^[0-9a-f]{32}$/.test(String(etag)))
            throw new ApiError(400, 7400, "etag must be the MD5 of the file");
          const name = `${String(etag)}.sql`;
          const upload_url = `${origin}/${name}`;
          return { result: { success: true, type: "import", filename: name, upload_url } };
        }
        if (action === "ingest") {
          const file = files.get(`/${String(filename)}`);
          if (!file || md5Of(file) !== etag) throw new ApiError(400, 7400, "Nothing was uploaded");
          const at_bookmark = String(bookmarks.size + 2).padStart(8, "0");
          bookmarks.set(at_bookmark, await imported(workerAt(params["uuid"]), file.toString()));
          const messages = ["Processing"];
          return {
            result: { success: true, type: "import", status: "active", at_bookmark, messages },
          };
        }
        const result = bookmarks.get(String(bookmark));
        if (action !== "poll" || !result) throw new ApiError(400, 7400, "Nothing is imported");
        return { result };
      },
    ],
  ];
  return { routes, close };
}

function md5Of(file: Buffer): string {
  return createHash("md5").update(file).digest("hex");
}

/** The end of an import: all statements take effect, or none. */
async function imported(worker: DeployedWorker, sql: string): Promise<object> {
  const ended = { success: true, type: "import", messages: [] };
  try {
    const refusal = refusalOfSize(sql);
    if (refusal !== undefined) throw new Error(refusal);
    const num_queries = await worker.load(sql);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    const result = { num_queries, final_bookmark: "00000002", meta };
    return { ...ended, status: "complete", result };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...ended, status: "error", error: message, errors: [message] };
  }
}
