import { and, eq, gt, sql } from "drizzle-orm";

import { ALL_AUTH } from "#domain/apps.ts";

import type { Database } from "./client.ts";
import type { Component } from "./components.ts";
import type { Stretch } from "./orphans.ts";
import { registryEntries } from "./schema/registry.ts";
import { components } from "./schema/tables.ts";

const READS_ALL = JSON.stringify({ auth: [ALL_AUTH] }).slice(1, -1);

/** The next components whose code was found to read all credentials of an app, in order of creation. */
export async function readersOfAllAuth(
  db: Database,
  { after, length }: Stretch,
): Promise<(Component & { seq: number })[]> {
  return db
    .select()
    .from(components)
    .where(and(gt(components.seq, after), sql`instr(${components.definition}, ${READS_ALL}) > 0`))
    .orderBy(components.seq)
    .limit(length);
}

/** Replace a component's definition, and derive again which apps it uses if it is published. */
export async function replaceDefinition(
  db: Database,
  { id, definition }: Pick<Component, "id" | "definition">,
): Promise<void> {
  await db.batch([
    db.update(components).set({ definition }).where(eq(components.id, id)),
    db.update(registryEntries).set({ componentId: id }).where(eq(registryEntries.componentId, id)),
  ]);
}
