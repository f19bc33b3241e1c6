import { createRoute, z } from "@hono/zod-openapi";

import { isTooDeep } from "#domain/json-depth.ts";
import { valueOf } from "#domain/json.ts";
import { getSourceState, type StatePage } from "#services/sources/state.ts";
import {
  getSourceCode,
  type ListedVersion,
  listSourceVersions,
  type VersionWithCode,
} from "#services/sources/versions.ts";

import { createRouter, Limit, many, one, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { SourceId } from "../resource-ids.ts";

const Timer = z.object({
  prop: z.string(),
  next_at_ms: z.int(),
  cron: z.string().optional(),
  timezone: z.string().optional(),
  interval_seconds: z.number().optional(),
});

const StateBody = z
  .object({
    db: z.record(z.string(), z.any()),
    truncated: z.array(z.string()),
    bytes: z.int(),
    keys: z.int(),
    next: z.string().nullable(),
    timers: z.array(Timer),
  })
  .openapi("SourceState");

const version = {
  version: z.int(),
  component_id: z.string(),
  code_hash: z.string(),
  key: z.string().nullable(),
  name: z.string(),
  component_version: z.string(),
};

const VersionBody = z
  .object({ ...version, at: z.int(), by: z.string().nullable(), is_current: z.boolean() })
  .openapi("SourceVersion");

const CodeBody = z
  .object({
    ...version,
    url: z.string().nullable(),
    entry: z.string(),
    files: z.array(z.object({ path: z.string(), code: z.string() })),
    truncated: z.boolean(),
  })
  .openapi("SourceCode");

const VersionId = SourceId.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .openapi({ type: "integer", example: 1 }),
});

const readState = createRoute({
  operationId: "getSourceState",
  method: "get",
  path: "/sources/{id}/state",
  request: {
    params: SourceId,
    query: z.object({
      limit: Limit.default(100),
      after: z.string().max(1024).optional(),
      key: z.string().max(1024).optional(),
    }),
  },
  responses: one(StateBody),
});

const readCode = createRoute({
  operationId: "getSourceCode",
  method: "get",
  path: "/sources/{id}/code",
  request: { params: SourceId },
  responses: one(CodeBody),
});

const listVersions = createRoute({
  operationId: "listSourceVersions",
  method: "get",
  path: "/sources/{id}/versions",
  request: { params: SourceId, query: PageQuery },
  responses: many(VersionBody),
});

const readVersion = createRoute({
  operationId: "getSourceVersionCode",
  method: "get",
  path: "/sources/{id}/versions/{version}/code",
  request: { params: VersionId },
  responses: one(CodeBody),
});

export const sourceDetails = createRouter()
  .openapi(readState, async (c) => {
    const state = await getSourceState(
      c.var.context,
      c.req.valid("param").id,
      c.req.valid("query"),
    );
    return c.json({ data: presentState(state) }, 200);
  })
  .openapi(readCode, async (c) => {
    const code = await getSourceCode(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentCode(code) }, 200);
  })
  .openapi(listVersions, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listSourceVersions(
      c.var.context,
      id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, presentListed), 200);
  })
  .openapi(readVersion, async (c) => {
    const { id, version: number } = c.req.valid("param");
    const code = await getSourceCode(c.var.context, id, number);
    return c.json({ data: presentCode(code) }, 200);
  });

function presentState(state: StatePage): z.input<typeof StateBody> {
  const { values, next, keys, bytes, timers } = state;
  const shown = values.map(({ key, value, isTruncated }) => [
    key,
    // A value stored by an older release may be nested deeper than a response can repeat.
    isTruncated || isTooDeep(value) ? value : valueOf(value),
  ]);
  return {
    db: Object.fromEntries(shown),
    truncated: values.filter(({ isTruncated }) => isTruncated).map(({ key }) => key),
    bytes,
    keys,
    next,
    timers: timers.map(({ prop, dueMs, schedule }) => ({
      prop,
      next_at_ms: dueMs,
      ...("cron" in schedule
        ? { cron: schedule.cron, timezone: schedule.timezone }
        : { interval_seconds: schedule.intervalSeconds }),
    })),
  };
}

function presentVersion({
  version: number,
  componentId,
  codeHash,
  key,
  name,
  componentVersion,
}: Pick<
  VersionWithCode,
  "version" | "componentId" | "codeHash" | "key" | "name" | "componentVersion"
>) {
  return {
    version: number,
    component_id: componentId,
    code_hash: codeHash,
    key,
    name,
    component_version: componentVersion,
  };
}

function presentListed(listed: ListedVersion): z.input<typeof VersionBody> {
  const { at, userId: by, isCurrent } = listed;
  return { ...presentVersion(listed), at, by, is_current: isCurrent };
}

function presentCode(code: VersionWithCode): z.input<typeof CodeBody> {
  const { url, entry, files, isTruncated } = code;
  return { ...presentVersion(code), url, entry, files, truncated: isTruncated };
}
