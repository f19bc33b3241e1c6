import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";

import { invalidInput, notFound } from "#domain/errors.ts";
import { isId } from "#domain/ids.ts";
import {
  createImport,
  listImports,
  listItems,
  readImport,
  uploadArchive,
} from "#services/registry-imports/imports.ts";

import type { AppEnv } from "./env.ts";
import { all, conflict, createRouter, late, many, one, params } from "./openapi.ts";
import { openPage, pageBody } from "./pages.ts";
import {
  Archive,
  ImportBody,
  ImportId,
  ImportPage,
  ImportSummary,
  ItemBody,
  ItemQuery,
  NewImport,
  presentImport,
  presentItem,
  presentSummary,
} from "./registry-import-body.ts";
import type { RegistryCaller } from "./registry-routes.ts";

const create = createRoute({
  operationId: "importComponents",
  method: "post",
  path: "/registry/imports",
  description:
    "Imports a collection of components into the registry that POST /registry publishes to.",
  request: { body: params(z.object(NewImport)) },
  responses: one(ImportBody, conflict),
});

const list = createRoute({
  operationId: "listImports",
  method: "get",
  path: "/registry/imports",
  request: { query: ImportPage },
  responses: many(ImportSummary),
});

const read = createRoute({
  operationId: "getImport",
  method: "get",
  path: "/registry/imports/{id}",
  request: { params: ImportId },
  responses: one(ImportBody),
});

const items = createRoute({
  operationId: "listImportedComponents",
  method: "get",
  path: "/registry/imports/{id}/components",
  request: { params: ImportId, query: ItemQuery },
  responses: all(ItemBody),
});

const upload = createRoute({
  operationId: "uploadImportArchive",
  method: "put",
  path: "/registry/imports/{id}/archive",
  description:
    "Uploads the archive of an import that was created without archive_url, and begins the import: a tarball of at most 100 MB with a Content-Length.",
  request: { params: ImportId, body: { content: { "application/gzip": { schema: Archive } } } },
  responses: one(ImportBody, { ...conflict, ...late }),
});

type CallerOf = (c: HonoContext<AppEnv>) => RegistryCaller;

/** The operations on imports, the same for users and the operator. */
export function registryImportRoutes(callerOf: CallerOf) {
  const router = createRouter();
  // Mounted before the reader of parameters, because its body has none.
  router.openAPIRegistry.registerPath(upload);
  return router
    .openapi(create, async (c) => {
      const { ctx, author } = callerOf(c);
      const { archive_url } = c.req.valid("json");
      const created = await createImport(ctx, author, archive_url ?? undefined);
      return c.json({ data: presentImport(created) }, 200);
    })
    .openapi(list, async (c) => {
      const { ctx, author } = callerOf(c);
      const page = await listImports(ctx, author.owner, await openPage(c, c.req.valid("query")));
      return c.json(await pageBody(c, page, presentSummary), 200);
    })
    .openapi(read, async (c) => {
      const { ctx, reader } = callerOf(c);
      const found = await readImport(ctx, reader.user, c.req.valid("param").id);
      return c.json({ data: presentImport(found) }, 200);
    })
    .openapi(items, async (c) => {
      const { ctx, reader } = callerOf(c);
      const request = { ...c.req.valid("param"), ...c.req.valid("query") };
      const found = await listItems(ctx, reader.user, request);
      return c.json({ data: found.map(presentItem) }, 200);
    });
}

/** Receive the archive of an import as the body of a request. */
export function archiveUpload(callerOf: CallerOf) {
  return async (c: HonoContext<AppEnv>) => {
    const id = c.req.param("id") ?? "";
    if (!isId("registry_import", id)) throw notFound("registry_import", id);
    const { body } = c.req.raw;
    if (!body)
      throw invalidInput([{ path: "body", message: "must be the archive, and not empty" }]);
    const length = Number(c.req.header("content-length"));
    const { ctx, reader } = callerOf(c);
    const found = await uploadArchive(ctx, reader.user, { id, body, length });
    return c.json({ data: presentImport(found) }, 200);
  };
}
