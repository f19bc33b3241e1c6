import {
  type Attack,
  deploy,
  endpoint,
  hold,
  holdsEndpoint,
  holdsService,
  newTenant,
  type Tenant,
} from "./world.ts";

/** A build of a user's files has a limit of 10 s; a new compiler serves the next build. */
const MAX_BUILD_MS = 25_000;

const NESTED = `export default { name: "N", version: "1", run() { return ${"(".repeat(8000)}1${")".repeat(8000)} } }`;
const REPEATED = `${"var x=[1,2,3];".repeat(30_000)}export default { name: "R", version: "1", run() {} }`;

/** Code of 2.8 MB, and of as many tokens as are compiled: it takes the compiler longer than its limit. */
const HUGE = `${"var x=[1,2,3];".repeat(200_000)}export default { name: "H", version: "1", run() {} }`;
const SLOW = `${"var x=[1,2,3];".repeat(36_000)}export default { name: "S", version: "1", run() {} }`;

/** The number of owners that send such code at once. */
const BUILDERS = 8;

/** The number of builds that one owner may have waiting, beside the running one. */
const FLOOD = 32;

/** Exceeds one owner's share of the build queue's capacity. */
const LARGE = `export default { name: "L", version: "1", run() {} }\n// ${"x".repeat(4_750_000)}`;

/** The time after which the clients of a flood hang up: their builds run or wait by then. */
const HANG_UP_MS = 500;

function ends(name: string, code: string): Attack {
  return {
    name: `a build of ${name} ends without ending other builds`,
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const startMs = performance.now();
      const culprit = eve.call("POST", "/sources", { component_code: code });
      const other = deploy(ada, endpoint("this.$emit({})"));
      const { status, text } = await culprit;
      hold(performance.now() - startMs < MAX_BUILD_MS, "The build exceeded its time limit");
      hold(status === 422, `It returned ${status}: ${text.slice(0, 200)}`);
      await other;
      await deploy(eve, endpoint("this.$emit({})"));
      await holdsService(world);
    },
  };
}

/** Builds of one owner delay another owner's by the duration of one build at most. */
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
    name: "builds of code that the compiler takes too long for delay no response",
    async run(world) {
      const builds = Array.from({ length: BUILDERS }, async (_, n) => {
        const eve = await newTenant(world);
        const code = `${n % 2 === 0 ? HUGE : SLOW}// ${n}`;
        return await eve.call("POST", "/sources", { component_code: code }).catch(() => undefined);
      });
      const responses = await holdsEndpoint(world, Promise.all(builds));
      for (const response of responses)
        hold(response?.status !== 200, "Code that takes the compiler too long was deployed");
    },
  },
  {
    name: "one owner's builds do not delay another owner's",
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
    name: "builds with hung-up clients do not delay another owner's",
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
