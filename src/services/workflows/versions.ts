import * as store from "#db/workflow-versions.ts";
import type { Workflow } from "#db/workflows.ts";
import { diffFiles } from "#domain/component-diff.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { ActorId, Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { AppContext } from "../context.ts";
import { plannedSteps } from "./plans.ts";
import { withCode, type WithCode } from "./read.ts";
import { redeploy } from "./redeploy.ts";

export type { VersionSummary } from "#db/workflow-versions.ts";

/** The workflow, and the user who must be allowed to see it; undefined: the caller is the operator. */
export type Subject = { id: Id<"workflow">; user: ActorId | undefined };

/** A current or former definition of a workflow, with the code of its steps. */
export type WorkflowVersion = WithCode<store.WorkflowVersion>;

/** The differences between two versions: a unified diff, and files with too many differences to compare. */
export type VersionDiff = { diff: string; omitted: string[] };

/** The stored versions of a workflow, newest first. */
export async function listVersions(
  ctx: Pick<AppContext, "db">,
  subject: Subject,
  request: PageRequest,
): Promise<Page<store.VersionSummary>> {
  const page = await store.pageOfVersions(ctx.db, subject, request);
  if (!page) throw notFound("workflow", subject.id);
  return page;
}

export async function getVersion(
  ctx: Pick<AppContext, "codeStore" | "db">,
  subject: Subject,
  number: number,
): Promise<WorkflowVersion> {
  const [version] = await store.versionsNumbered(ctx.db, subject, [number]);
  if (!version) throw versionMissing(subject, number);
  return withCode(ctx, version);
}

/** Restore the definition of a version as the newest version, with the same code and the same secrets. */
export async function restoreVersion(
  ctx: AppContext,
  { id, user }: Subject,
  number: number,
): Promise<Workflow> {
  const [version] = await store.versionsNumbered(ctx.db, { id, user }, [number]);
  if (!version) throw versionMissing({ id }, number);
  const { name, trigger, steps: shown } = version;
  return redeploy(ctx, { id, by: user ?? null, restoredFrom: number }, async (current) => {
    const { active, version: currentNumber } = current.workflow;
    // A deployment of an older release has a plan in D1 from here on, because `current` was just read.
    const plan = number === currentNumber ? undefined : await store.planOf(ctx.db, id, number);
    if (!plan && number !== currentNumber) throw versionMissing({ id }, number);
    const planned = plan ? plannedSteps(plan) : current.steps.planned;
    return { name, active, trigger, steps: { planned, shown } };
  });
}

/** The differences between two versions of a workflow: its definition, and the code of each step. */
export async function diffVersions(
  ctx: Pick<AppContext, "codeStore" | "db">,
  subject: Subject,
  { from, to }: { from: number; to: number },
): Promise<VersionDiff> {
  const found = await store.versionsNumbered(ctx.db, subject, [from, to]);
  const [old, now] = await Promise.all(
    [from, to].map(async (number) => {
      const version = found.find((one) => one.version === number);
      if (!version) throw versionMissing(subject, number);
      return filesOf(await withCode(ctx, version));
    }),
  );
  const { code: diff, omitted } = diffFiles(old ?? {}, now ?? {});
  return { diff, omitted };
}

/** A version as files: one of its definition, and one of the code of each step. */
function filesOf({ name, trigger: { type, schedule }, steps }: WorkflowVersion) {
  const definition = {
    name,
    trigger: { type, schedule },
    steps: steps.map((step) => ({ ...step, code: undefined, codeHash: undefined })),
  };
  const code = steps.flatMap((step) =>
    step.code === undefined ? [] : [[`steps/${step.name}.js`, endedLine(step.code)] as const],
  );
  return {
    "workflow.json": endedLine(JSON.stringify(definition, null, 2)),
    ...Object.fromEntries(code),
  };
}

function endedLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function versionMissing({ id }: Pick<Subject, "id">, number: number): RequestError {
  return new RequestError("not_found", `No version ${number} of ${id}`);
}
