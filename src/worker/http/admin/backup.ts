import { z } from "@hono/zod-openapi";
import type { HonoRequest } from "hono";

import { readAtMost } from "#domain/body.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import {
  checkManifest,
  FOLDERS,
  keepObjects,
  keepRecords,
  keptImports,
  KEPT_KINDS,
  RESTORED_KINDS,
  restoreObjects,
  sealManifest,
} from "#services/backup.ts";

import { createRouter, digits, idOf, issuesOf } from "../openapi.ts";
import { parseJsonBody } from "../params.ts";

/** A source may have 8 MB of state, which sealing makes a third longer. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const Kind = z.object({ kind: z.enum(KEPT_KINDS) });
const RestoredKind = z.object({ kind: z.enum(RESTORED_KINDS) });
const Store = z.object({ id: idOf("data_store", "ds_5d0") });
const Folder = z.object({ folder: z.enum(FOLDERS) });
const File = Folder.extend({ hash: z.string().regex(/^[0-9a-f]{64}(?:\.\d{1,4})?$/) });
const Import = z.object({ id: idOf("registry_import", "ri_4fP") });
const After = z.object({ after: digits(z.int().min(0)).default(0) });
const Digest = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex") });
const SealedDigest = Digest.extend({ seal: z.string() });
const Objects = z.object({
  objects: z.array(z.object({ id: z.string(), sealed: z.string() })).max(100),
});

/** The API of `npm run backup` and `npm run restore`. It is internal, so no document describes it. */
export const backup = createRouter();

backup.post("/seal", async (c) => {
  const { digest } = read(Digest, await bodyOf(c.req.raw));
  return c.json({ data: { seal: await sealManifest(c.var.platform, digest) } });
});

backup.post("/check", async (c) => {
  await checkManifest(c.var.platform, read(SealedDigest, await bodyOf(c.req.raw)));
  return c.body(null, 204);
});

backup.get("/objects/:kind", async (c) => {
  const { kind } = named(Kind, c.req);
  const { after } = read(After, c.req.query());
  return c.json({ data: await keepObjects(c.var.platform, kind, after) });
});

backup.put("/objects/:kind", async (c) => {
  const { kind } = named(RestoredKind, c.req);
  const { objects } = read(Objects, await bodyOf(c.req.raw));
  return c.json({ data: await restoreObjects(c.var.platform, kind, objects) });
});

backup.get("/records/:id", async (c) => {
  const { id } = named(Store, c.req);
  const after = c.req.query("after") ?? "";
  return c.json({ data: await keepRecords(c.var.platform, id, after) });
});

backup.get("/files/:folder", async (c) => {
  const { folder } = named(Folder, c.req);
  return c.json({
    data: await c.var.platform.codeStore.names(folder, c.req.query("after") ?? ""),
  });
});

backup.get("/files/:folder/:hash", async (c) => {
  const { folder, hash } = named(File, c.req);
  const content = await c.var.platform.codeStore.read(`${folder}/${hash}`);
  if (!content) throw missing(c.req.path);
  return c.body(content);
});

backup.put("/files/:folder/:hash", async (c) => {
  const { folder, hash } = named(File, c.req);
  await c.var.platform.codeStore.write(`${folder}/${hash}`, fileIn(c.req.raw));
  return c.body(null, 204);
});

backup.get("/imports", async (c) =>
  c.json({ data: await keptImports(c.var.platform, c.req.query("after") ?? "") }),
);

backup.get("/imports/:id", async (c) => {
  const { id } = named(Import, c.req);
  const archive = await c.var.platform.imports.archive(id);
  if (!archive) throw missing(c.req.path);
  return c.body(archive);
});

backup.put("/imports/:id", async (c) => {
  const { id } = named(Import, c.req);
  await c.var.platform.imports.put(id, fileIn(c.req.raw));
  return c.body(null, 204);
});

async function bodyOf(request: Request): Promise<unknown> {
  const bytes = await readAtMost(request, MAX_BODY_BYTES);
  if (!bytes) throw new RequestError("too_large", "The body may have at most 32 MB");
  return parseJsonBody(bytes);
}

function fileIn({ body }: Request): ReadableStream {
  if (!body) throw invalidInput([{ path: "body", message: "is the file, and cannot be empty" }]);
  return body;
}

function read<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.flatMap((issue) => issuesOf(issue, input)));
}

/** The parameters of a path. */
function named<S extends z.ZodType>(schema: S, request: HonoRequest<string>): z.output<S> {
  const parsed = schema.safeParse(request.param());
  if (parsed.success) return parsed.data;
  throw missing(request.path);
}

function missing(what: string): RequestError {
  return new RequestError("not_found", `There is no ${what}`);
}
