/** Acts on the event: loops, computes without yielding, waits, allocates memory, or emits at once. */
export const OBEDIENT = `const kept = [];
export default {
  name: "Obedient", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body: { id, loop, turns = 0, waitMs = 0, bomb } }) {
    if (loop) for (;;);
    if (bomb) for (;;) kept.push(new Array(1e5).fill({ id }).map((x) => ({ ...x })));
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) sum += Math.sqrt(turn);
    if (waitMs) await new Promise((done) => setTimeout(done, waitMs));
    this.db.set("count", (this.db.get("count") ?? 0) + 1);
    this.$emit({ id, count: this.db.get("count"), sum }, { id });
  },
};`;

const TRIED_TURNS = 2e8;

/** The number of iterations for this computing time. The component's clock stands still meanwhile. */
export function turnsFor(milliseconds: number): number {
  // Not by the clock: other tests use the processors meanwhile.
  const before = process.cpuUsage();
  let sum = 0;
  for (let turn = 0; turn < TRIED_TURNS; turn += 1) sum += Math.sqrt(turn);
  if (!(sum > 0)) throw new Error("Nothing was computed");
  return Math.round((TRIED_TURNS * milliseconds * 1000) / process.cpuUsage(before).user);
}

/** For the order of numbers, which are sorted as text otherwise. */
export function byNumber(a = 0, b = 0): number {
  return a - b;
}
