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
  const path = shownPath(new URL(c.req.url).pathname.split("/stashes/")[1] ?? "");
  // URLs of the earlier release, which are valid for a day, have the key as their path.
  const { s3_key: key = path, expires = "", signature = "" } = c.req.query();
  const isKeyOfPath = key === path || shownPath(key) === path;
  const signed = { key: isKeyOfPath ? key : "", expires, signature };
  const file = await signedFile(c.var.platform, signed);
  return fileResponse(key, file);
});

/** Files of users are never rendered as pages of this origin. */
function fileResponse(key: string, { body, size }: StoredStashFile): Response {
  const name = shownPath(key.slice(key.lastIndexOf("/") + 1));
  return new Response(body, {
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(size),
      "content-disposition": `attachment; filename*=UTF-8''${extendedValue(name)}`,
      "content-security-policy": "sandbox; default-src 'none'",
    },
  });
}

/** The value of a parameter with a charset (RFC 8187), which allows fewer characters than a URL. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
