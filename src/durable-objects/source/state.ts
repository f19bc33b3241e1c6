import type { Timers } from "#durable-objects/shared/timers.ts";

import type { StateQuery, StatePage } from "./contract.ts";
import type { ServiceDbStore } from "./service-db.ts";

/** Maximum characters of one value in a list, and of the whole list: the rest is read key by key. */
const MAX_VALUE_CHARACTERS = 16_384;
const MAX_PAGE_CHARACTERS = 262_144;

type Deps = { serviceDb: ServiceDbStore; timers: Timers };

/** A page of `$.service.db`, or one key of it whole, and the timers of a source. */
export function readState({ serviceDb, timers }: Deps, query: StateQuery): StatePage {
  const all = { ...serviceDb.size(), timers: timers.all() };
  if (query.key !== undefined) {
    const value = serviceDb.get(query.key);
    const values = value === undefined ? [] : [{ key: query.key, value, isTruncated: false }];
    return { ...all, values, next: null };
  }
  // One more row shows whether there are more.
  const rows = serviceDb.page({ after: query.after ?? "", limit: query.limit + 1 });
  const values = rows.slice(0, query.limit).map(shortened());
  const next = rows.length > query.limit ? (values.at(-1)?.key ?? null) : null;
  return { ...all, values, next };
}

/** Truncates long values, and all values after a page is full. */
function shortened() {
  let room = MAX_PAGE_CHARACTERS;
  return ({ key, value }: { key: string; value: string }) => {
    const most = Math.min(MAX_VALUE_CHARACTERS, Math.max(0, room));
    room -= Math.min(value.length, most);
    return { key, value: value.slice(0, most), isTruncated: value.length > most };
  };
}
