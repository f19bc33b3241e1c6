import type { Context } from "hono";

import { invalidInput } from "#domain/errors.ts";
import type { CursorPosition, Page } from "#domain/page.ts";

import type { AppEnv } from "./env.ts";
import type { CursorParam } from "./openapi.ts";

type Cursors<T> = {
  after?: CursorParam<T> | undefined;
  before?: CursorParam<T> | undefined;
};

/** Read the cursors among the parameters of a list. Refuses those that this list did not return to its reader. */
export async function openPage<T, Q>(
  c: Context<AppEnv>,
  { after, before, ...query }: Q & Cursors<T>,
) {
  const [start, end] = await Promise.all([
    positionAt(c, "after", after),
    positionAt(c, "before", before),
  ]);
  return { ...query, after: start, before: end };
}

async function positionAt<T>(
  c: Context<AppEnv>,
  path: string,
  param: CursorParam<T> | undefined,
): Promise<T | undefined> {
  if (!param) return undefined;
  const { vault } = c.var.platform;
  const position = await vault.openCursor(param.cursor, requestCursorList(c), param.read);
  if (position !== undefined) return position;
  throw invalidInput([{ path, message: "must be a cursor that this list returned" }]);
}

/** The position of a page in its list. */
export async function pageInfo<T>(
  c: Context<AppEnv>,
  { items, totalCount }: Page<T>,
  positionOf: (item: T) => CursorPosition,
) {
  const { vault } = c.var.platform;
  const cursorOf = (item: T | undefined) =>
    item === undefined ? null : vault.sealCursor(positionOf(item), requestCursorList(c));
  const [start, end] = await Promise.all([cursorOf(items[0]), cursorOf(items.at(-1))]);
  return { total_count: totalCount, count: items.length, start_cursor: start, end_cursor: end };
}

export async function pageBody<T extends { seq: number }, R>(
  c: Context<AppEnv>,
  page: Page<T>,
  present: (row: T) => R,
) {
  const page_info = await pageInfo(c, page, ({ seq }) => ({ kind: "row", seq }));
  return { page_info, data: page.items.map(present) };
}

/** The list of a request, which its cursors belong to: a path, as its reader sees it. */
function requestCursorList(c: Context<AppEnv>) {
  return [readerOf(c.var), c.req.path] as const;
}

/** Who reads a list: a user or a workspace, an environment of a project, an external user, or the operator. */
function readerOf({ context, project, connect }: Partial<AppEnv["Variables"]>): string {
  if (context) return context.workspace ?? context.actor.id;
  if (!connect) return "operator";
  const { caller } = connect;
  if (caller.kind === "browser") return caller.bearer.externalUser.id;
  if (project) return `${project.project.id} ${project.environment}`;
  return caller.kind === "user" ? caller.user.id : caller.client.ownerId;
}
