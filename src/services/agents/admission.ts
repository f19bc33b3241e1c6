import { RequestError } from "#domain/errors.ts";
import { secondsLeft } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import type { AgentContext } from "./context.ts";

/** How many runs agents may begin for one owner in ten seconds, and for a whole project. */
const MAX_RUNS = { owner: 100, project: 1000 } as const;

/** Count a run that an agent begins, and refuse it where its owner or project began too many just now. */
export async function admitRun(agent: AgentContext): Promise<void> {
  const { owner, project } = agent;
  await Promise.all([
    count(agent, { name: `agent-runs ${owner}`, limit: MAX_RUNS.owner, whose: "external user" }),
    project &&
      count(agent, {
        name: `agent-runs ${project.project.id}`,
        limit: MAX_RUNS.project,
        whose: "project",
      }),
  ]);
}

type Quota = { name: string; limit: number; whose: string };

async function count(
  { countRequest, requestId: request_id }: AgentContext,
  { name, limit, whose }: Quota,
): Promise<void> {
  // A counter that cannot be reached limits nobody.
  const window = await countRequest(name).catch((error: unknown) => {
    log("request_uncounted", { request_id, error });
  });
  if (!window || window.count <= limit) return;
  const seconds = secondsLeft(window, Date.now());
  throw new RequestError(
    "rate_limited",
    `Agents may run at most ${limit} actions in 10 seconds for one ${whose}: wait ${seconds} s`,
  );
}
