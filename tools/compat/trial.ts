import { runAction } from "./action-run.ts";
import { blameFor } from "./blame.ts";
import { OutOfTime, PlatformGone } from "./client.ts";
import { configure } from "./configuration.ts";
import { type Failure, furthest, isAccountDemand, type Trouble } from "./evidence.ts";
import { fakeOf, type Fixtures } from "./fixtures.ts";
import type { Candidate } from "./folder.ts";
import type { OwnFiles } from "./own-files.ts";
import { SHAPES, type Shape } from "./responses.ts";
import { troubleOf } from "./rules.ts";
import { type ReadSchema, schemaOf } from "./schema.ts";
import { runSource } from "./source-run.ts";
import { SAVING, type Step } from "./steps.ts";
import {
  type Lane,
  type Outcome,
  type Ran,
  type Result,
  type Saved,
  type Trial,
  Troubled,
} from "./subject.ts";

type Attempt = Ran & { trouble?: Trouble };

/** The component on trial: its files, and their folder. */
export type Given = {
  root: string;
  own: OwnFiles;
  credentials: Record<string, string>;
  timeoutMs: number;
  waitSeconds: number;
  fixtures: Fixtures | undefined;
};

/** Try one component: save it by its URL, configure, deploy and run it once. Rejects only with `PlatformGone`. */
export async function tryComponent(
  lane: Lane,
  candidate: Candidate,
  { root, own, credentials, timeoutMs, waitSeconds, fixtures }: Given,
): Promise<Result> {
  const startedAtMs = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const result: Result = {
    ...candidate,
    outcome: "failed",
    shape: SHAPES[0],
    requests: 0,
    events: 0,
    ms: 0,
  };
  const since = (): number => Math.round(performance.now() - startedAtMs);
  lane.upstream.begin(lane.owner, result.shape);
  try {
    const component = await save(lane, candidate, signal);
    const savedMs = since();
    const tried = await tryShapes({
      lane,
      candidate,
      component,
      own,
      credentials,
      offered: new Map(),
      leftOut: new Set(),
      fixtures,
      waitSeconds,
      signal,
    });
    return { ...result, ...tried, savedMs, ms: since() };
  } catch (error) {
    const { step, failure } = troubledBy(error);
    const judgement = SAVING.has(step)
      ? await blameFor(failure, { root, entry: candidate.path, own })
      : undefined;
    const trouble = troubleOf(step, failure, { code: own.files, requests: [], judgement });
    return { ...result, trouble, ms: since() };
  }
}

/**
 * Try a component without accounts, then with those whose credentials its code reads: in one shape of responses after
 * the other, until it accepts one or sends no request.
 */
async function tryShapes(trial: Trial): Promise<Partial<Result>> {
  const schema = schemaOf(trial.own.files.values());
  const alone = await attemptedIn(SHAPES[0], { ...trial, credentials: undefined }, schema);
  const { trouble } = alone;
  const isRefused = trouble !== undefined && isAccountDemand(trouble);
  const demand = (isRefused || !trouble) && { demandsAccount: isRefused };
  const readsCredentials = Object.keys(trial.credentials ?? {}).length > 0;
  const first = readsCredentials ? undefined : alone;
  const configured = readsCredentials ? trial : { ...trial, credentials: undefined };
  return { ...(await triedShapes(configured, schema, first)), ...demand };
}

async function triedShapes(
  trial: Trial,
  schema: ReadSchema,
  first: Attempt | undefined,
): Promise<Partial<Result>> {
  let trouble: Trouble | undefined;
  let shape: Shape = SHAPES[0];
  let [requests, waiting] = [0, first];
  for (shape of SHAPES) {
    const attempt = waiting ?? (await attemptedIn(shape, trial, schema));
    waiting = undefined;
    requests = trial.lane.upstream.requests(trial.lane.owner).length;
    if (!attempt.trouble) {
      const outcome = outcomeOf(trial.candidate, attempt, requests);
      return { shape, requests, events: attempt.events, outcome };
    }
    trouble = furthest(trouble, attempt.trouble);
    if (requests === 0 || isFinal(trial, attempt.trouble)) break;
  }
  return { shape, requests, ...failed(trouble) };
}

/** Whether no other shape of responses can help: a trial is too long, or its responses are those of fixtures. */
function isFinal({ fixtures }: Trial, { step }: Trouble): boolean {
  return step === "timeout" || fixtures?.responses !== undefined;
}

function failed(trouble: Trouble | undefined): Pick<Result, "outcome" | "trouble"> {
  const outcome = trouble?.step === "timeout" ? "running" : "failed";
  return { outcome, ...(trouble && { trouble }) };
}

/** The outcome of a trial without trouble. */
function outcomeOf(
  { kind }: Pick<Candidate, "kind">,
  { events, isOver }: Ran,
  requests: number,
): Outcome {
  if (events > 0) return "emitted";
  if (!isOver) return "running";
  if (requests === 0) return "idle";
  return kind === "action" ? "returned" : "silent";
}

async function attemptedIn(shape: Shape, given: Trial, schema: ReadSchema): Promise<Attempt> {
  const trial = { ...given, offered: new Map<string, unknown>(), leftOut: new Set<string>() };
  const { lane, own, fixtures } = trial;
  lane.upstream.begin(lane.owner, shape, schema);
  if (fixtures?.responses) lane.upstream.serve(lane.owner, fakeOf(fixtures.responses));
  try {
    const values = await configure(trial);
    return await (trial.candidate.kind === "source" ? runSource : runAction)(trial, values);
  } catch (error) {
    const { step, failure } = troubledBy(error);
    const requests = lane.upstream.requests(lane.owner);
    const trouble = troubleOf(step, failure, {
      code: own.files,
      requests,
      ranges: own.ranges,
      offered: trial.offered,
      leftOut: trial.leftOut,
    });
    return { trouble: withFixtures(fixtures, trouble), events: 0, isOver: true };
  }
}

/** With responses of its author, none that were generated are at fault. */
export function withFixtures(fixtures: Fixtures | undefined, trouble: Trouble): Trouble {
  if (!fixtures?.responses || trouble.blame !== "answers") return trouble;
  return { ...trouble, blame: "component", because: "it fails with the responses of its fixtures" };
}

/** The step and the cause of a failed attempt. Rethrows `PlatformGone`. */
function troubledBy(error: unknown): { step: Step; failure: Failure } {
  if (error instanceof Troubled) return error;
  if (error instanceof PlatformGone) throw error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { step: error instanceof OutOfTime ? "timeout" : "platform", failure: { name, message } };
}

/** The maximum number of saves while the platform is overloaded or a file does not arrive in time. */
const MAX_SAVES = 3;

/** Save a component by its URL. Throws `Troubled` if the platform rejects it. */
export async function save(
  { user, files }: Lane,
  { path }: Pick<Candidate, "path">,
  signal: AbortSignal,
): Promise<Saved> {
  const url = `${files}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const body = { component_url: url };
  const call = () => user.call<Saved>("POST", "/components", { body, signal });
  let response = await call();
  for (let tries = 1; tries < MAX_SAVES && /^50[23]$/.test(`${response.status}`); tries += 1)
    response = await call();
  const { status, data, error } = response;
  if (status === 200) return data;
  const [, verb = "", why = error] = /the component does not (\w+)[^:]*: (.*)/s.exec(error) ?? [];
  const steps: Record<string, Step> = { bundle: "bundle", evaluate: "evaluate", define: "define" };
  throw new Troubled(steps[verb] ?? "fetch", { name: String(status), message: why });
}
