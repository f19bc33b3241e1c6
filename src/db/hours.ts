import { type SQL, sql } from "drizzle-orm";

import { COUNTS } from "#domain/activity.ts";

import { ownerUsage, usage } from "./schema/tables.ts";

type Count = (typeof COUNTS)[number];

/** For an expression: one of the counts of an hour. */
export function countOfHour(name: Count): SQL<number> {
  return sql<number>`coalesce(hour.value ->> ${placeOf(name)}, 0)`;
}

/** For an expression: a sum over all hours of a reported day. */
export function reportedTotal(name: Count): SQL {
  return sql`(SELECT sum(${countOfHour(name)}) FROM json_each(reported.value -> 'hours') AS hour)`;
}

/** The stored hours after a report of an emitter or a webhook. */
export const RAISED_HOURS = {
  hours: sql`excluded.hours`,
  failures: sql`excluded.failures`,
  events: sql`excluded.events`,
};

/** For an expression: the hours of a reported day beyond the stored row of its emitter. */
export function newHours(): SQL {
  const added = COUNTS.map((name) => {
    const known = sql`${usage.hours} -> hour.key ->> ${placeOf(name)}`;
    return sql`${countOfHour(name)} - coalesce(${known}, 0)`;
  });
  return sql`(SELECT json_group_object(hour.key, json_array(${sql.join(added, sql`, `)}))
    FROM json_each(reported.value -> 'hours') AS hour)`;
}

/** For the conflict of two rows of an owner's day: the hours of both, summed. */
export function addedHours(): SQL {
  const sums = COUNTS.map((name) => sql`sum(${countOfHour(name)})`);
  return sql`(SELECT json_group_object(summed.key, json(summed.counts)) FROM (
    SELECT hour.key AS key, json_array(${sql.join(sums, sql`, `)}) AS counts FROM (
      SELECT key, value FROM json_each(coalesce(${ownerUsage.hours}, '{}'))
      UNION ALL SELECT key, value FROM json_each(coalesce(excluded.hours, '{}'))) AS hour
    GROUP BY hour.key) AS summed)`;
}

function placeOf(name: Count): SQL {
  return sql.raw(String(COUNTS.indexOf(name)));
}
