import { RequestError } from "#domain/errors.ts";
import { secondsLeft } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import type { AgentContext } from "./context.ts";

/** Maximum runs, polls of events, and subscriptions by agents in ten seconds for one owner, and for a whole project. */
const LIMITS = { owner: 100, project: 1000 } as const;

/** Count a run by an agent. Refuses it if its owner or project is over the limit. */
export function admitRun(agent: AgentContext): Promise<void> {
  return admit(agent, { counter: "agent-runs", what: "run", of: "actions" });
}

/** Count a poll of events. Refuses it if its owner or project is over the limit. */
export function admitPoll(agent: AgentContext): Promise<void> {
  return admit(agent, { counter: "agent-polls", what: "make", of: "polls" });
}

/** Count a subscription or a refresh. Refuses it if its owner or project is over the limit. */
export function admitSubscription(agent: AgentContext): Promise<void> {
  return admit(agent, {
    counter: "agent-subscriptions",
    what: "make or refresh",
    of: "subscriptions",
  });
}

type Kind = { counter: string; what: string; of: string };

async function admit(agent: AgentContext, { counter, ...kind }: Kind): Promise<void> {
  const { owner, project } = agent;
  await Promise.all([
    count(agent, {
      ...kind,
      name: `${counter} ${owner}`,
      limit: LIMITS.owner,
      whose: "external user",
    }),
    project &&
      count(agent, {
        ...kind,
        name: `${counter} ${project.project.id}`,
        limit: LIMITS.project,
        whose: "project",
      }),
  ]);
}

type Quota = Omit<Kind, "counter"> & { name: string; limit: number; whose: string };

async function count(
  { countRequest, requestId: request_id }: AgentContext,
  { name, limit, whose, what, of }: Quota,
): Promise<void> {
  // An unreachable counter limits nobody.
  const window = await countRequest(name).catch((error: unknown) => {
    log("request_uncounted", { request_id, error });
  });
  if (!window || window.count <= limit) return;
  const seconds = secondsLeft(window, Date.now());
  throw new RequestError(
    "rate_limited",
    `Agents may ${what} at most ${limit} ${of} in 10 seconds for one ${whose}: wait ${seconds} s`,
  );
}
