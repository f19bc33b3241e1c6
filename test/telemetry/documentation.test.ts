// @suites loader

import { expect, test } from "vitest";

import { COLUMNS } from "#telemetry/columns.ts";
import { EVENTS } from "#telemetry/events.ts";

const [MONITORING = ""] = Object.values(
  import.meta.glob("../../docs/monitoring.md", { query: "?raw", import: "default", eager: true }),
);
const [WRANGLER = ""] = Object.values(
  import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true }),
);

/** The cells of the rows of the section's tables. */
const rows = [...MONITORING.matchAll(/^\|(.*)\|$/gm)].map(([, row = ""]) =>
  row.split("|").map((cell) => cell.trim()),
);

const words = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

const queries = [...MONITORING.matchAll(/```sql\n([^`]*)```/g)].map(([, query = ""]) => query);

test.for(["error", "warn", "info", "debug"])(
  "the documentation lists every event of level %s",
  (level) => {
    const known = Object.entries(EVENTS).flatMap(([name, [own]]) => (own === level ? [name] : []));
    const row = rows.find(([first]) => first === `\`${level}\``);
    expect(new Set(words(row?.[1]))).toEqual(new Set(known));
  },
);

test.for(Object.entries(COLUMNS))(
  "the documentation lists the columns of %s, in order",
  ([kind, own]) => {
    const row = rows.find(
      ([first, , , doubles]) => first === `\`${kind}\`` && doubles !== undefined,
    );
    expect([words(row?.[2]), words(row?.[3])]).toEqual([own.blobs, own.doubles]);
  },
);

test.for(queries)("a documented query reads existing columns: %s", (query) => {
  const [, dataset = ""] = /FROM (\w+)/.exec(query) ?? [];
  expect(WRANGLER).toContain(`dataset = "${dataset}"`);
  // Without this, counts and sums of sampled points are wrong.
  expect(/SUM\(/i.test(query)).toBe(query.includes("_sample_interval"));
  const kinds = [...query.matchAll(/blob1 (?:= |IN \()('[^)\n]*')/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/'(\w+)'/g)].map(([, kind = ""]) => kind),
  );
  if (dataset !== "wellspring_metrics") return;
  expect(kinds.length).toBeGreaterThan(0);
  for (const kind of kinds) {
    const { blobs, doubles } = COLUMNS[kind as keyof typeof COLUMNS];
    const last = (name: string) =>
      Math.max(...[...query.matchAll(new RegExp(`${name}(\\d+)`, "g"))].map(([, n]) => Number(n)));
    expect(last("blob")).toBeLessThanOrEqual(blobs.length + 2);
    expect(last("double")).toBeLessThanOrEqual(doubles.length + 1);
  }
});
