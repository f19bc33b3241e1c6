import { createRoute, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";

import { shownPath } from "#domain/stash.ts";
import { signedFile, type StoredStashFile } from "#services/actions/stash.ts";
import { downloadFile } from "#services/connect/file-stash.ts";

import type { AppEnv } from "../env.ts";
import { createRouter, failures } from "../openapi.ts";

const download = createRoute({
  operationId: "downloadStashedFile",
  method: "get",
  path: "/{project}/file_stash/download",
  request: {
    params: z.object({ project: z.string() }),
    query: z.object({ s3_key: z.string().min(1).max(1000) }),
  },
  responses: {
    200: {
      description: "The file",
      content: { "application/octet-stream": { schema: z.string() } },
    },
    ...failures(),
  },
});

export const fileStash = createRouter().openapi(download, async (c) => {
  const { s3_key: key } = c.req.valid("query");
  return fileResponse(key, await downloadFile(c.var.project, key));
});

/** Send the file of a signed URL, which needs no key. */
export const sendSignedFile = createMiddleware<AppEnv>(async (c) => {
  const { pathname } = new URL(c.req.url);
  const key = decoded(pathname.split("/stashes/")[1] ?? "");
  const { expires = "", signature = "" } = c.req.query();
  const file = await signedFile(c.var.platform, { key, expires, signature });
  return fileResponse(key, file);
});

/** Files of users are never rendered as pages of this origin. */
function fileResponse(key: string, { body, size }: StoredStashFile): Response {
  const name = shownPath(key.slice(key.lastIndexOf("/") + 1));
  return new Response(body, {
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(size),
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      "content-security-policy": "sandbox; default-src 'none'",
    },
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
