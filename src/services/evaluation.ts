import type { BundleIssue, BundleRequest, NotBundled, SourceFiles } from "#bundler/contract.ts";
import { ALL_AUTH, authReads, readsAuth } from "#domain/apps.ts";
import { componentWarnings, defaultWarnings } from "#domain/component-warnings.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import { invalidInput, type Issue, RequestError, errorMessage } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { packageNames } from "#domain/lockfile.ts";
import { malformedMembers, readDefinition } from "#domain/parse-definition.ts";
import { withTimeout } from "#domain/timeout.ts";
import { unsupportedCode } from "#domain/unsupported-code.ts";
import { isIsolateLimit } from "#sandbox/isolate-limit.ts";
import { checkedEvaluation } from "#sandbox/outcome.ts";
import { mapStack } from "#sandbox/stack.ts";
import type { Bundle, Evaluation } from "#sandbox/user-code.ts";
import type { Plan } from "#sandbox/worker-loader.ts";

import type { AppContext } from "./context.ts";
import { metered, planToRun } from "./usage.ts";

/** Maximum time of evaluating a module, `additionalProps` and `options` (docs/contract.md: Deadlines). */
export const EVALUATION_DEADLINE_MS = 60_000;

/** The harness's name of the failure of code that exceeds its time. */
export const DEADLINE_EXCEEDED = "DeadlineExceeded";

/** The harness's name of the failure of an isolate that has executed its module before. */
const ISOLATE_USED = "IsolateUsed";

/**
 * Bundle code and execute it to read its definition, in an isolate that `open` opens. Refuses code that does not bundle
 * or evaluate, or whose definition is incomplete, an owner with an exhausted quota, and one with much code that waits for its evaluation.
 */
export async function evaluate(
  ctx: AppContext,
  owner: OwnerId,
  files: SourceFiles,
  open = ctx.evaluator,
): Promise<Described & { bundle: Bundle }> {
  if (!ctx.mayEvaluate(owner)) throw evaluationsWaiting();
  const plan = await planToRun(ctx, owner);
  const bundle = await bundleOf(ctx, { client: owner, files });
  return { bundle, ...(await definitionOf(ctx, { owner, plan, bundle, files }, open)) };
}

/** The definition of a component, and warnings about probable mistakes. */
type Described = { definition: ComponentDefinition; warnings: string[] };

/** Bundle code. Refuses code that does not bundle. */
export async function bundleOf(
  ctx: Pick<AppContext, "bundle">,
  request: BundleRequest,
): Promise<Bundle> {
  const bundled = await ctx.bundle(request);
  if (!bundled.ok) throw unbundled(bundled);
  return bundled.bundle;
}

/** Bundled code, its owner, and the plan that it runs by. */
type Bundled = { owner: OwnerId; plan: Plan | undefined; bundle: Bundle; files: SourceFiles };

/**
 * Execute a bundle to read its definition, in an isolate that `open` opens. Refuses a bundle that does not evaluate, or
 * whose definition is incomplete. An isolate that has executed it before is not used.
 */
export async function definitionOf(
  ctx: Pick<AppContext, "db" | "evaluator" | "owners" | "requestId">,
  { owner, plan, bundle, files }: Bundled,
  open = ctx.evaluator,
): Promise<Described> {
  const described = (how: AppContext["evaluator"]) =>
    metered(ctx, owner, evaluationOf(how(owner, plan, bundle).describe(true)));
  const first = await described(open);
  const isUsed = !first.ok && first.failure.name === ISOLATE_USED;
  const description = isUsed ? await described(ctx.evaluator) : first;
  if (!description.ok)
    throw invalidComponent("evaluate", [placeOf(description.failure, bundle, files)]);
  const { namesRespond } = bundle;
  const definition = {
    ...withHiddenReads(definitionIn(description.value, files.entry), bundle),
    ...(namesRespond !== undefined && { namesRespond }),
  };
  const warnings = [...componentWarnings(description.value), ...defaultWarnings(definition.props)];
  return { definition, warnings };
}

/**
 * The isolate records the fields of `$auth` that functions of an app and of the component read. Reads by other
 * functions of the module belong to the only app.
 */
function withHiddenReads(definition: ComponentDefinition, { code }: Bundle): ComponentDefinition {
  const [app, ...others] = definition.props.filter(({ type }) => type === "app");
  if (!app || others.length > 0 || authReads(app).length > 0 || !readsAuth(code)) return definition;
  const props = definition.props.map((prop) =>
    prop === app ? { ...app, auth: [ALL_AUTH] } : prop,
  );
  return { ...definition, props };
}

/** Refuse a component without a required member. */
export function incomplete(issues: readonly Issue[], file: string): RequestError {
  const placed = issues.map(({ path, message }) => ({
    file,
    line: 1,
    column: 0,
    text: path === "" ? message : `${path}: ${message}`,
  }));
  return invalidComponent("define the required members", placed);
}

/** Like `readDefinition`, but throws its errors. */
export function definitionIn(text: string, file: string): ComponentDefinition {
  const malformed = malformedMembers(text);
  if (malformed.length > 0) throw invalidInput(malformed);
  const definition = readDefinition(text);
  if (Array.isArray(definition)) throw incomplete(definition, file);
  return definition;
}

/** Wait for an isolate's evaluation. A crash or a timeout becomes a failure like a throw. Refuses while too many are at work. */
export async function evaluationOf(call: Promise<Evaluation>): Promise<Evaluation> {
  const late = `It did not finish within ${EVALUATION_DEADLINE_MS / 1000} s`;
  try {
    return checkedEvaluation(
      await withTimeout(call, EVALUATION_DEADLINE_MS, () => failed(DEADLINE_EXCEEDED, late)),
    );
  } catch (error) {
    if (isIsolateLimit(error)) throw isolatesAtWork();
    return failed("IsolateDied", errorMessage(error));
  }
}

function failed(name: string, message: string): Evaluation {
  return { ok: false, failure: newFailure(name, message) };
}

/** Refuse a caller while too many isolates are at work: no code ran. */
export function isolatesAtWork(): RequestError {
  return new RequestError("overloaded", "Too many components run for this request: try again");
}

/** Refuse a caller while too many builds wait. */
export function buildsWaiting(): RequestError {
  return new RequestError("overloaded", "Too many components wait to be built: try again");
}

/** Refuse an owner whose code waits for its evaluation, one at a time: earlier code blocked its process. */
function evaluationsWaiting(): RequestError {
  const reason = "because other code of yours ran too long without yielding";
  return new RequestError(
    "overloaded",
    `Too many components wait to be evaluated, ${reason}: try again`,
  );
}

function unbundled({ issues, upstream, overloaded }: NotBundled): RequestError {
  if (overloaded) return buildsWaiting();
  const refusal = invalidComponent("bundle", issues);
  return upstream ? new RequestError("upstream_failed", refusal.message, refusal.details) : refusal;
}

/** The position of an exception in the original code. */
function placeOf(
  failure: Failure,
  { map, lockfile }: Bundle,
  { entry, files }: SourceFiles,
): BundleIssue {
  const { name, message, stack } = failure;
  const frames = mapStack(stack, map).matchAll(/([^\s()]+):(\d+):(\d+)/g);
  const frame = frames.find(([, file = ""]) => Object.hasOwn(files, file));
  const [, file = entry, line = "1", column = "1"] = frame ?? [];
  const shown = message === "" ? name : `${name}: ${message}`;
  const unsupported = unsupportedCode(failure, packageNames(lockfile));
  const text = unsupported === undefined ? shown : `${unsupported} (${shown})`;
  return { file, line: Number(line), column: Number(column) - 1, text };
}

/** Refuse a component for an error in its code. */
export function invalidComponent(
  step: string,
  issues: readonly BundleIssue[],
  parameter = "component_code",
): RequestError {
  const shown = issues.map(({ column, ...issue }) => ({ ...issue, column: column + 1 }));
  const sentences = shown.map(
    ({ file, line, column, text }) => `${file}:${line}:${column}: ${text}`,
  );
  return new RequestError(
    "invalid_component",
    `${parameter}: the component does not ${step}: ${sentences.join("; ")}`,
    { issues: shown.map(({ file, line, column, text }) => ({ file, line, column, text })) },
  );
}
