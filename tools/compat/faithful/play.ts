import { startPlatform } from "../../scripts/platform.ts";
import { ADMIN_TOKEN, openLane, type Plan } from "../lanes.ts";
import { type Lane, Troubled } from "../subject.ts";
import { save } from "../trial.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";
import { Stage } from "./stage.ts";

/** The outcome of a scenario: `problem` is absent if the component passed every check. */
export type Played = Pick<Scenario, "protocol" | "component" | "follows"> & {
  ms: number;
  problem?: string;
};

/** Play every scenario whose component is in the folder, in parallel. */
export async function playAll(plan: Plan, onPlayed: (played: Played) => void): Promise<Played[]> {
  const paths = new Set(plan.folder.candidates.map(({ path }) => path));
  const waiting = SCENARIOS.filter(({ component }) => paths.has(component));
  const played: Played[] = [];
  const platform = await startPlatform({
    stateDir: plan.stateDir,
    variables: { ADMIN_TOKEN, EGRESS_GATEWAY_URL: plan.upstream.url },
  });
  try {
    await Promise.all(
      Array.from({ length: plan.jobs }, async () => {
        const lane = await openLane(plan, platform);
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const one = await playOne(lane, next, plan.timeoutMs);
          played.push(one);
          onPlayed(one);
        }
      }),
    );
  } finally {
    await platform.stop();
  }
  return played;
}

async function playOne(lane: Lane, scenario: Scenario, timeoutMs: number): Promise<Played> {
  const { protocol, component, follows, credentials, play } = scenario;
  const startedAtMs = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  let problem: string | undefined;
  let stage: Stage | undefined;
  lane.upstream.begin(lane.owner, "object");
  try {
    stage = new Stage(lane, await save(lane, { path: component }, signal), { credentials, signal });
    await play(stage);
  } catch (error) {
    problem = problemIn(error);
  }
  await stage?.remove();
  const ms = Math.round(performance.now() - startedAtMs);
  return {
    protocol,
    component,
    ...(follows !== undefined && { follows }),
    ms,
    ...(problem !== undefined && { problem }),
  };
}

function problemIn(error: unknown): string {
  if (error instanceof Troubled) {
    const { step, failure } = error;
    const frame = failure.stack?.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
    return `${step}: ${failure.name}: ${failure.message}${frame}`;
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
