import { runAction } from "./action-run.ts";
import { SHAPES, type Shape } from "./answers.ts";
import { OutOfTime, PlatformGone } from "./client.ts";
import { configure } from "./configuration.ts";
import type { Candidate } from "./folder.ts";
import { runSource } from "./source-run.ts";
import { type Lane, type Result, type Saved, type Trial, Troubled } from "./subject.ts";
import { furthest, type Step, type Trouble, troubleOf } from "./trouble.ts";

type Attempt = { trouble?: Trouble; events: number };

/** Take one component all the way: saved by its URL, configured, deployed, run once. Rejects only with `PlatformGone`. */
export async function tryComponent(
  lane: Lane,
  candidate: Candidate,
  { credentials, timeoutMs }: { credentials: Record<string, string>; timeoutMs: number },
): Promise<Result> {
  const startedAtMs = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const result: Result = { ...candidate, shape: SHAPES[0], requests: 0, events: 0, ms: 0 };
  lane.outside.begin(lane.owner, result.shape);
  const saved = await attempted(lane, async () => {
    const component = await save(lane, candidate, signal);
    Object.assign(result, await tryShapes({ lane, candidate, component, credentials, signal }));
    return 0;
  });
  const ms = Math.round(performance.now() - startedAtMs);
  return { ...result, ...(saved.trouble && { trouble: saved.trouble }), ms };
}

/** Try with one kind of answers after the other, until the component gets along or never asked for any. */
async function tryShapes(trial: Trial): Promise<Partial<Result>> {
  const { lane } = trial;
  let trouble: Trouble | undefined;
  let shape: Shape = SHAPES[0];
  for (const next of SHAPES) {
    shape = next;
    lane.outside.begin(lane.owner, shape);
    const attempt = await attempted(lane, () => once(trial));
    const requests = lane.outside.asked(lane.owner).length;
    if (!attempt.trouble) return { shape, requests, events: attempt.events };
    trouble = furthest(trouble, attempt.trouble);
    if (requests === 0 || attempt.trouble.step === "timeout") break;
  }
  const requests = lane.outside.asked(lane.owner).length;
  return { shape, requests, ...(trouble && { trouble }) };
}

async function once(trial: Trial): Promise<number> {
  const values = await configure(trial);
  if (trial.candidate.kind === "source") return runSource(trial, values);
  await runAction(trial, values);
  return 0;
}

async function attempted(lane: Lane, work: () => Promise<number>): Promise<Attempt> {
  try {
    return { events: await work() };
  } catch (error) {
    const asked = lane.outside.asked(lane.owner).length > 0;
    if (error instanceof Troubled)
      return { trouble: troubleOf(error.step, error.failure, asked), events: 0 };
    if (error instanceof PlatformGone) throw error;
    const step = error instanceof OutOfTime ? "timeout" : "platform";
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { trouble: troubleOf(step, { name, message }, asked), events: 0 };
  }
}

async function save(
  { user, files }: Lane,
  { path }: Candidate,
  signal: AbortSignal,
): Promise<Saved> {
  const url = `${files}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const body = { component_url: url };
  const { status, data, error } = await user.call<Saved>("POST", "/components", { body, signal });
  if (status === 200) return data;
  const [, verb = "", why = error] = /the component does not (\w+)[^:]*: (.*)/s.exec(error) ?? [];
  const steps: Record<string, Step> = { bundle: "bundle", evaluate: "evaluate", define: "define" };
  throw new Troubled(steps[verb] ?? "fetch", { name: String(status), message: why });
}
