import { rm } from "node:fs/promises";

import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { Client, PlatformGone } from "./client.ts";
import type { FakeUpstream } from "./fake-upstream.ts";
import type { Fixtures } from "./fixtures.ts";
import type { Candidate, Folder } from "./folder.ts";
import { ownFiles } from "./own-files.ts";
import type { Lane, Result } from "./subject.ts";
import { tryComponent } from "./trial.ts";
import { credentialsIn } from "./values.ts";

/** The settings of a run over a folder. */
export type Plan = {
  folder: Folder;
  /** What authors give for their components, by path. */
  fixtures: ReadonlyMap<string, Fixtures>;
  files: string;
  upstream: FakeUpstream;
  stateDir: string;
  jobs: number;
  timeoutMs: number;
  /** The timeout of a source's run. */
  waitSeconds: number;
};

/** The plan, and the receiver of the trials' results. */
type Trials = Plan & { onResult: (result: Result) => Promise<void> };

/** The operator's token of the platform on trial. */
export const ADMIN_TOKEN = "compatibility";

/** A runtime does not free the memory of its past runs: a new one replaces it after this many components. */
const MAX_PER_PLATFORM = 200;

/** Try components in parallel. A retry one by one finds the component that crashes the platform. */
export async function tryAll(plan: Trials, candidates: readonly Candidate[]): Promise<void> {
  const waiting = [...candidates];
  while (waiting.length > 0) {
    const { suspects, left } = await tryBatch(plan, waiting.splice(0, MAX_PER_PLATFORM), plan.jobs);
    waiting.unshift(...left);
    for (const suspect of suspects) {
      const { suspects: culprits } = await tryBatch(plan, [suspect], 1);
      for (const culprit of culprits) await plan.onResult(wedged(culprit));
    }
  }
}

/** The components on trial when the platform crashed, and the remaining ones. */
type Rest = { suspects: Candidate[]; left: Candidate[] };

async function tryBatch(
  plan: Trials,
  candidates: readonly Candidate[],
  jobs: number,
): Promise<Rest> {
  const platform = await startPlatform({
    stateDir: plan.stateDir,
    variables: { ADMIN_TOKEN, EGRESS_GATEWAY_URL: plan.upstream.url },
  });
  const waiting = [...candidates];
  const suspects: Candidate[] = [];
  const late: Candidate[] = [];
  try {
    await Promise.all(
      Array.from({ length: Math.min(jobs, waiting.length) }, async () => {
        suspects.push(...(await work(plan, platform, { waiting, late })));
      }),
    );
    // Beside others, the machine may have been slow: alone, it was the component.
    if (suspects.length === 0) suspects.push(...(await work(plan, platform, { waiting: late })));
    else waiting.unshift(...late);
  } finally {
    await (suspects.length > 0 ? platform.kill() : platform.stop());
    // A component that blocked the platform would do so again on its restart.
    if (suspects.length > 0) await rm(plan.stateDir, { recursive: true, force: true });
  }
  return { suspects, left: waiting };
}

/** The candidates to try; `late` takes those that run out of time, to be tried again. */
type Queue = { waiting: Candidate[]; late?: Candidate[] };

/** The candidate on trial when the platform crashed. Rethrows other errors. */
function suspectsIn(error: unknown, candidate: Candidate | undefined): Candidate[] {
  if (!(error instanceof PlatformGone)) throw error;
  return candidate ? [candidate] : [];
}

/** Take candidates from the queue until it is empty or the platform crashed; returns the candidate of the crash. */
async function work(
  plan: Trials,
  platform: RunningPlatform,
  { waiting, late }: Queue,
): Promise<Candidate[]> {
  let candidate: Candidate | undefined;
  try {
    const lane = await openLane(plan, platform);
    for (candidate = waiting.shift(); candidate; candidate = waiting.shift()) {
      const result = await tried(plan, lane, candidate);
      const isLate = result.trouble?.step === "timeout";
      if (isLate && !(await isHealthy(platform))) return [candidate];
      if (isLate && late) late.push(candidate);
      else await plan.onResult(result);
    }
    return [];
  } catch (error) {
    return suspectsIn(error, candidate);
  }
}

async function tried(plan: Plan, lane: Lane, candidate: Candidate): Promise<Result> {
  const { root } = plan.folder;
  const own = await ownFiles(root, candidate.path);
  const credentials = credentialsIn([...own.files.values()].join("\n"));
  const { timeoutMs, waitSeconds } = plan;
  const fixtures = plan.fixtures.get(candidate.path);
  const given = { root, own, credentials, timeoutMs, waitSeconds, fixtures };
  return tryComponent(lane, candidate, given);
}

/** Create a separate user, so that its requests can be distinguished from those of other lanes. */
export async function openLane({ files, upstream }: Plan, { url }: RunningPlatform): Promise<Lane> {
  const signal = AbortSignal.timeout(60_000);
  const operator = new Client(url.replace(/\/v1$/, "/admin"), ADMIN_TOKEN);
  const body = {
    username: "compat",
    email: `compat-${crypto.randomUUID()}@example.com`,
    plan: "paid",
  };
  const { data } = await operator.call<{ id: string; api_key: string }>("POST", "/users", {
    body,
    signal,
  });
  const user = new Client(url, data.api_key);
  const store = await user.call<{ id: string }>("POST", "/data_stores", {
    body: { name: "Compat" },
    signal,
  });
  return { owner: data.id, user, operator, upstream, files, dataStore: store.data.id };
}

async function isHealthy({ url }: RunningPlatform): Promise<boolean> {
  const health = url.replace(/\/v1$/, "/health");
  return fetch(health, { signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function wedged(candidate: Candidate): Result {
  const message = "The platform crashed or hung with it: an endless loop?";
  const because = "the platform no longer responds";
  const trouble = {
    step: "platform",
    blame: "platform",
    because,
    name: "Wedged",
    message,
    requests: [],
  } as const;
  const none = { shape: "object", requests: 0, events: 0, ms: 0 } as const;
  return { ...candidate, outcome: "failed", trouble, ...none };
}
