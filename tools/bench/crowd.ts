import { deploy } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { compare, type Effort } from "./compare.ts";
import { componentCode, sourceTarget, withPlatform } from "./targets.ts";

const CONNECTIONS = 16;
const DEPLOYS_AT_ONCE = 4;

/** The number of different components in the crowd; each loads its own isolate. */
const VARIANTS = 100;

/** The effect of a crowd of other sources on one: events/s without and with it. */
export type CrowdEffect = { alone: number; among: number; slowdown: number; deploySeconds: number };

/** Measure one source among `size` others, against its twin on an otherwise empty platform. */
export function measureCrowd(size: number, effort: Effort): Promise<CrowdEffect> {
  return withPlatform((lonely) =>
    withPlatform(async (crowded) => {
      const startedAtMs = performance.now();
      await deployCrowd(crowded, size);
      const deploySeconds = (performance.now() - startedAtMs) / 1000;
      const targets = [
        await sourceTarget(crowded, "stateless"),
        await sourceTarget(lonely, "stateless"),
      ];
      const [among, alone] = await compare(targets, CONNECTIONS, effort);
      if (!among || !alone) throw new Error("Nothing was measured");
      const slowdown = alone.ofFirst.perSecond;
      return { alone: alone.perSecond, among: among.perSecond, slowdown, deploySeconds };
    }),
  );
}

async function deployCrowd(platform: RunningPlatform, size: number): Promise<void> {
  const code = await componentCode("stateful");
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < size; index = next++)
      await deploy(platform, variantOf(code, index % VARIANTS), `Member ${index}`);
  };
  await Promise.all(Array.from({ length: DEPLOYS_AT_ONCE }, worker));
}

/** The same component under another name: the bundler drops a comment, and all would share one isolate. */
function variantOf(code: string, index: number): string {
  return code.replace('name: "Stateful"', `name: "Stateful ${index}"`);
}
