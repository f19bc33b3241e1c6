import { createRoute, z } from "@hono/zod-openapi";

import {
  createDataStore,
  deleteDataStore,
  deleteRecord,
  getDataStore,
  getRecord,
  listDataStores,
  listRecords,
  listWorkspaceDataStores,
  putRecord,
} from "#services/data-stores.ts";

import {
  DataStoreBody,
  DataStoreDetails,
  DataStoreId,
  presentDetails,
  presentRecord,
  presentStore,
  RecordBody,
  recordsBody,
  RecordsQuery,
  StoreName,
} from "../data-store-body.ts";
import {
  createRouter,
  digits,
  many,
  none,
  one,
  Ownership,
  PageQuery,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { workspaceList } from "../workspace-list.ts";

const RecordParam = DataStoreId.extend({ key: z.string().min(1) });

const create = createRoute({
  operationId: "createDataStore",
  method: "post",
  path: "/data_stores",
  request: { body: params(z.object({ name: StoreName, ...Ownership })) },
  responses: one(DataStoreBody),
});

const list = createRoute({
  operationId: "listDataStores",
  method: "get",
  path: "/users/me/data_stores",
  request: { query: PageQuery },
  responses: many(DataStoreBody),
});

const listOfWorkspace = workspaceList("listWorkspaceDataStores", "data_stores", {
  query: PageQuery,
  body: DataStoreBody,
});

const read = createRoute({
  operationId: "getDataStore",
  method: "get",
  path: "/data_stores/{id}",
  request: { params: DataStoreId },
  responses: one(DataStoreDetails),
});

const remove = createRoute({
  operationId: "deleteDataStore",
  method: "delete",
  path: "/data_stores/{id}",
  request: { params: DataStoreId },
  responses: none,
});

const readRecords = createRoute({
  operationId: "listRecords",
  method: "get",
  path: "/data_stores/{id}/records",
  request: { params: DataStoreId, query: RecordsQuery },
  responses: many(RecordBody),
});

const readRecord = createRoute({
  operationId: "getRecord",
  method: "get",
  path: "/data_stores/{id}/records/{key}",
  request: { params: RecordParam },
  responses: one(RecordBody),
});

const put = createRoute({
  operationId: "putRecord",
  method: "put",
  path: "/data_stores/{id}/records/{key}",
  request: {
    params: RecordParam,
    body: params(
      z.object({
        value: z.unknown().refine((value) => value !== undefined, "is required"),
        ttl: digits(z.number()).nullish(),
      }),
    ),
  },
  responses: one(RecordBody),
});

const removeRecord = createRoute({
  operationId: "deleteRecord",
  method: "delete",
  path: "/data_stores/{id}/records/{key}",
  request: { params: RecordParam },
  responses: none,
});

export const dataStores = createRouter()
  .openapi(create, async (c) => {
    const { name, ...ownership } = c.req.valid("json");
    const workspace = workspaceIn(ownership);
    const store = await createDataStore(c.var.context, { name, workspace });
    return c.json({ data: presentStore(store) }, 200);
  })
  .openapi(list, async (c) => {
    const page = await listDataStores(c.var.context, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, presentStore), 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listWorkspaceDataStores(
      c.var.context,
      id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, presentStore), 200);
  })
  .openapi(read, async (c) => {
    const found = await getDataStore(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentDetails(found) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteDataStore(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(readRecords, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listRecords(c.var.context, id, await openPage(c, c.req.valid("query")));
    return c.json(await recordsBody(c, page), 200);
  })
  .openapi(readRecord, async (c) => {
    const { id, key } = c.req.valid("param");
    return c.json({ data: presentRecord(await getRecord(c.var.context, id, key)) }, 200);
  })
  .openapi(put, async (c) => {
    const { id, key } = c.req.valid("param");
    const { value, ttl = null } = c.req.valid("json");
    const text = JSON.stringify(value);
    const record = await putRecord(c.var.context, id, { key, value: text, ttl });
    return c.json({ data: presentRecord(record) }, 200);
  })
  .openapi(removeRecord, async (c) => {
    const { id, key } = c.req.valid("param");
    await deleteRecord(c.var.context, id, key);
    return c.body(null, 204);
  });
