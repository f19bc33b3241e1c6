import { call } from "../scripts/api.ts";
import { type Side, withSides } from "./sides.ts";
import { median } from "./statistics.ts";

/** The imports of the components; without a package the platform builds only the component's own code. */
const IMPORTS = ["", "slug", "axios", "@pipedream/platform"];

/** Warm-up saves, which are not counted: the first ones install the packages, and the runtime compiles its code. */
const WARM_UP_SAVES = 3;

const PATHS = ["/components", "/sources"];

/** Milliseconds by import, method and side. */
type Times = Map<string, number[]>;

/**
 * Measure the time to save, and to save and deploy, a component with stored packages. All components differ. `base` is
 * the checkout of another commit: both platforms run and take turns.
 */
export function measureSaves(saves: number, base: string | undefined): Promise<void> {
  return withSides(base, async (sides) => {
    const times: Times = new Map();
    for (let round = -WARM_UP_SAVES; round < saves; round += 1)
      for (const imported of IMPORTS) {
        for (const path of PATHS) {
          // The sides take turns to be first.
          for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
            const tookMs = await timeSave(side, path, componentFor(imported, round));
            if (round >= 0) note(times, keyOf(imported, path, side), tookMs);
          }
        }
      }
    report(times, sides);
  });
}

let made = 0;

function componentFor(imported: string, round: number): string {
  made += 1;
  const from = imported === "" ? "" : `import * as used from "${imported}";\n`;
  const value = imported === "" ? "0" : "Object.keys(used).length";
  return `${from}
const found${made} = ${value};
export default {
  key: "bench-saved-${made}",
  name: "Saved ${made} in round ${round}",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) {
    this.db.set("last-${made}", body);
    this.$emit({ found: found${made}, body }, { summary: "Number ${made}" });
  },
};
`;
}

async function timeSave({ platform }: Side, path: string, code: string): Promise<number> {
  const startedAtMs = performance.now();
  await call(platform, path, { component_code: code });
  return performance.now() - startedAtMs;
}

function keyOf(imported: string, path: string, { name }: Side): string {
  return JSON.stringify([imported, path, name]);
}

function note(times: Times, key: string, tookMs: number): void {
  const known = times.get(key) ?? [];
  known.push(tookMs);
  times.set(key, known);
}

function report(times: Times, sides: Side[]): void {
  const names = sides.map(({ name }) => name);
  const columns = ["save ms", "save and deploy ms"].flatMap((what) =>
    names.map((name) => (names.length > 1 ? `${what}, ${name}` : what)),
  );
  console.log(`| imports | ${columns.join(" | ")} |`);
  console.log(`|---|${columns.map(() => "---|").join("")}`);
  for (const imported of IMPORTS) {
    const medians = PATHS.flatMap((path) =>
      sides.map((side) => Math.round(median(times.get(keyOf(imported, path, side)) ?? []))),
    );
    console.log(`| ${[imported || "nothing", ...medians].join(" | ")} |`);
  }
}
