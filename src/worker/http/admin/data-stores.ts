import { createRoute, z } from "@hono/zod-openapi";

import {
  createDataStoreFor,
  deleteDataStore,
  getDataStore,
  listAllDataStores,
  listRecords,
} from "#services/data-stores.ts";

import {
  DataStoreBody,
  DataStoreDetails,
  DataStoreId,
  presentDetails,
  presentStore,
  RecordBody,
  recordsBody,
  RecordsQuery,
  StoreName,
} from "../data-store-body.ts";
import { createRouter, many, none, one, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { Owner } from "./owner.ts";

const create = createRoute({
  operationId: "createDataStoreFor",
  method: "post",
  path: "/data_stores",
  request: { body: params(z.object({ owner_id: Owner, name: StoreName })) },
  responses: one(DataStoreBody),
});

const list = createRoute({
  operationId: "listAllDataStores",
  method: "get",
  path: "/data_stores",
  request: { query: PageQuery.safeExtend({ owner_id: Owner.optional() }) },
  responses: many(DataStoreBody),
});

const read = createRoute({
  operationId: "readDataStore",
  method: "get",
  path: "/data_stores/{id}",
  request: { params: DataStoreId },
  responses: one(DataStoreDetails),
});

const readRecords = createRoute({
  operationId: "readRecords",
  method: "get",
  path: "/data_stores/{id}/records",
  request: { params: DataStoreId, query: RecordsQuery },
  responses: many(RecordBody),
});

const remove = createRoute({
  operationId: "removeDataStore",
  method: "delete",
  path: "/data_stores/{id}",
  request: { params: DataStoreId },
  responses: none,
});

export const dataStores = createRouter()
  .openapi(create, async (c) => {
    const { owner_id: ownerId, name } = c.req.valid("json");
    const store = await createDataStoreFor(c.var.platform, { ownerId, name });
    return c.json({ data: presentStore(store) }, 200);
  })
  .openapi(list, async (c) => {
    const { owner_id: owner, ...page } = await openPage(c, c.req.valid("query"));
    const found = await listAllDataStores(c.var.platform, owner, page);
    return c.json(await pageBody(c, found, presentStore), 200);
  })
  .openapi(read, async (c) => {
    const found = await getDataStore(c.var.platform, c.req.valid("param").id);
    return c.json({ data: presentDetails(found) }, 200);
  })
  .openapi(readRecords, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listRecords(c.var.platform, id, await openPage(c, c.req.valid("query")));
    return c.json(await recordsBody(c, page), 200);
  })
  .openapi(remove, async (c) => {
    await deleteDataStore(c.var.platform, c.req.valid("param").id);
    return c.body(null, 204);
  });
