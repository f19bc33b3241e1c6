import {
  type Attack,
  deploy,
  endpoint,
  hold,
  holdsService,
  newTenant,
  type Tenant,
} from "./world.ts";

/** A build of a user's files has 10 s, and what follows it is a new compiler. */
const MAX_BUILD_MS = 25_000;

const NESTED = `export default { name: "N", version: "1", run() { return ${"(".repeat(8000)}1${")".repeat(8000)} } }`;
const REPEATED = `${"var x=[1,2,3];".repeat(30_000)}export default { name: "R", version: "1", run() {} }`;

/** As many builds as one owner may have waiting, beside the one that goes on. */
const FLOOD = 32;

/** Takes more of the room in which builds wait than the share of one owner. */
const LARGE = `export default { name: "L", version: "1", run() {} }\n// ${"x".repeat(4_750_000)}`;

/** How soon the clients of a flood hang up: their builds have begun, or wait. */
const HANG_UP_MS = 500;

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

/** Builds of one owner do not hold up another's for longer than one of them takes. */
async function holdsNobodyUp(ada: Tenant): Promise<void> {
  const startMs = performance.now();
  await deploy(ada, endpoint("this.$emit({})"));
  const ms = performance.now() - startMs;
  hold(ms < MAX_BUILD_MS, `Another owner waited ${ms.toFixed(0)} ms`);
}

export const compiler: Attack[] = [
  ends("8,000 nested parentheses", NESTED),
  ends("30,000 statements", REPEATED),
  {
    name: "one owner's builds do not keep another's waiting",
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const codes = [LARGE, ...Array.from({ length: FLOOD }, (_, n) => `${REPEATED}// ${n}`)];
      const flood = codes.map((code) =>
        eve.call("POST", "/sources", { component_code: code }).catch(() => undefined),
      );
      await holdsNobodyUp(ada);
      await Promise.all(flood);
    },
  },
  {
    name: "builds whose clients hang up do not keep another's waiting",
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const hangUp = async (_: unknown, n: number) => {
        const body = JSON.stringify({ component_code: `${REPEATED}// ${n}` });
        const headers = { ...eve.headers, "content-type": "application/json" };
        const signal = AbortSignal.timeout(HANG_UP_MS);
        const sent = fetch(`${world.origin}/v1/sources`, { method: "POST", headers, body, signal });
        await sent.catch(() => undefined);
      };
      await Promise.all(Array.from({ length: FLOOD }, hangUp));
      await holdsNobodyUp(ada);
      await holdsService(world);
    },
  },
];
