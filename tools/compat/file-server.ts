import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join, sep } from "node:path";

import { listen, type Listening } from "../scripts/listen.ts";

/** Serve the files of a folder like a repository's raw files. */
export async function serveFiles(root: string): Promise<Listening> {
  const base = await realpath(root);
  return listen((request, response) => {
    void send(base, new URL(request.url ?? "/", "http://localhost").pathname, response);
  });
}

async function send(base: string, pathname: string, response: ServerResponse): Promise<void> {
  try {
    const file = await realpath(join(base, decodeURIComponent(pathname)));
    if (!file.startsWith(base + sep) || !(await stat(file)).isFile()) throw new Error("No file");
    createReadStream(file).pipe(response);
  } catch {
    response.writeHead(404).end();
  }
}
