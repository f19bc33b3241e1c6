import { type Attack, deploy, endpoint, hold, holdsService, newTenant } from "./world.ts";

/** A build of a user's files has 10 s, and what follows it is a new compiler. */
const MAX_BUILD_MS = 25_000;

const NESTED = `export default { name: "N", version: "1", run() { return ${"(".repeat(8000)}1${")".repeat(8000)} } }`;
const REPEATED = `${"var x=[1,2,3];".repeat(30_000)}export default { name: "R", version: "1", run() {} }`;

function ends(name: string, code: string): Attack {
  return {
    name: `a build of ${name} ends, and ends nobody else's`,
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const startMs = performance.now();
      const culprit = eve.call("POST", "/sources", { component_code: code });
      const other = deploy(ada, endpoint("this.$emit({})"));
      const { status, text } = await culprit;
      hold(performance.now() - startMs < MAX_BUILD_MS, "The build took longer than its time");
      hold(status === 422, `It returned ${status}: ${text.slice(0, 200)}`);
      await other;
      await deploy(eve, endpoint("this.$emit({})"));
      await holdsService(world);
    },
  };
}

export const compiler: Attack[] = [
  ends("8,000 nested parentheses", NESTED),
  ends("30,000 statements", REPEATED),
  {
    name: "one owner's builds do not keep another's waiting",
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const flood = Array.from({ length: 12 }, (_, n) =>
        eve
          .call("POST", "/sources", { component_code: `${REPEATED}// ${n}` })
          .catch(() => undefined),
      );
      const startMs = performance.now();
      await deploy(ada, endpoint("this.$emit({})"));
      const ms = performance.now() - startMs;
      hold(ms < MAX_BUILD_MS, `Another owner waited ${ms.toFixed(0)} ms`);
      await Promise.all(flood);
    },
  },
];
