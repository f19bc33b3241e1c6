import { ANYWHERE, type FieldTable } from "./table.ts";

const SCHEDULE = {
  "trigger.cron": "Cron expression with five or six fields, of a timer",
  "trigger.interval_seconds": "Seconds between two ticks of a timer, at least 15",
  "trigger.timezone": "Time zone of the cron expression, such as Europe/Berlin; absent: UTC",
};

const STEPS = {
  "steps.component_code": "Source code of the step; absent if it has a component_id or key",
  "steps.component_id": "The action that the step runs, `sc_…`",
  "steps.key": "Key of the published action that the step runs",
  "steps.props":
    "Values of the step's props by name, JSON of its component's own; texts may have {{ expressions }} over steps",
  "steps.account": "The account for each app prop without one of its own, `apn_…`",
  "steps.retries": "Retries of the step after a failure; absent: none",
  "steps.retries.limit": "Maximum retries of the step, 0 to 20",
  "steps.retries.delay_seconds": "Seconds between two attempts, 0 to 86,400",
};

const VERSION = {
  "trigger.type": "Trigger of the workflow, in addition to its subscriptions",
  trigger: "Trigger of the workflow, in its original form",
  steps: "The steps in order, in their original form, without secrets",
  "steps.name": "Name of the step in expressions",
  ...SCHEDULE,
  ...STEPS,
};

const GIVEN = {
  "trigger.type":
    "Trigger of the workflow, in addition to its subscriptions: requests to an endpoint, ticks of a timer, or none",
  "steps.name": "Name of the step in expressions: letters, digits and _, unique in the workflow",
  ...SCHEDULE,
  ...STEPS,
  "steps.component_code": "Source code of the step; instead of component_id or key",
  "steps.component_id": "The action that the step runs, `sc_…`; instead of code or key",
  "steps.key": "Key of the published action that the step runs; instead of code or component_id",
};

const CREATED = {
  ...GIVEN,
  name: "Name of the workflow",
  trigger: "Trigger of the workflow",
  steps: "The steps in order, 1 to 50",
  active: "Whether the workflow runs; false: it is paused",
};

const UPDATED = {
  ...GIVEN,
  name: "Name of the workflow; absent: unchanged",
  trigger: "Trigger of the workflow; absent: unchanged",
  steps: "All steps in order, 1 to 50; absent: unchanged",
  active: "Whether the workflow runs; false pauses it, absent: unchanged",
};

/** Fields of workflows, their versions and runs. */
export const WORKFLOW_TEXTS: FieldTable<string> = {
  [ANYWHERE]: { $schema: "The JSON Schema for editors (/schemas/workflow.json); ignored" },
  "/workflows": { id: "Id of the workflow, `p_…`" },
  "/runs": { run: "Id of the run" },
  Workflow: {
    ...VERSION,
    id: "Id of the workflow, `p_…`",
    deployment_id: "Id of the deployment that runs begin on, `d_…`",
    owner_id: "The user or workspace that owns it",
    name: "Name of the workflow",
    version: "Number of its version: each change of its definition creates a new one",
    active: "Whether the workflow runs; false: it is paused",
    "trigger.endpoint_url": "URL whose requests run the workflow, of an HTTP trigger",
  },
  workflows: { version: "Number of the version" },
  createOwnWorkflow: CREATED,
  createWorkflow: CREATED,
  updateOwnWorkflow: UPDATED,
  updateWorkflow: UPDATED,
  WorkflowVersionSummary: {
    workflow_id: "The workflow, `p_…`",
    version: "Number of the version, from 1",
    name: "Name of the workflow in this version",
    user_id: "The user who deployed it; null: the operator, or it was not recorded",
    restored_from: "The version that it restores; null: none",
  },
  WorkflowVersion: VERSION,
  WorkflowDiff: {
    from: "Number of the earlier version",
    to: "Number of the later version",
    diff: "Unified diff of workflow.json, the definition, and of the code of each step",
  },
  diffWorkflowVersions: {
    from: "Number of the earlier version",
    to: "Number of the later version",
  },
  WorkflowRun: {
    id: "Id of the run",
    deployment_id: "Id of the deployment that it runs, `d_…`",
    version: "The version of the workflow that it runs; null: an older release began it",
    state: "State of the run; waiting: it is paused, or waits for a retry",
    source_type: "Origin of the run",
    emitter_id: "The source or workflow whose event began it; null: another trigger",
    queued_at_ms: "Time when it was queued, epoch milliseconds",
    started_at_ms: "Begin of its first step, epoch milliseconds; null: not yet",
    ended_at_ms: "End of the run, epoch milliseconds; null: not yet",
    exit_reason: "Reason of $.flow.exit, by which a step ended the run early; null: none",
    error: "Reason why the run failed; null: it did not",
    rerun_of: "The run that it repeats; null: none",
    ...failure(""),
  },
  RunDetails: {
    event: "The event that it runs on: JSON of its emitter's own",
    steps: "The executions of its steps, in order",
    "steps.name": "Name of the step",
    "steps.state": "Outcome of the execution",
    "steps.pause": "Pause of the run after it; null: none",
    "steps.input":
      "The step's props with the results of their expressions, JSON of its component's own, without secrets and accounts",
    "steps.input_truncated":
      "Whether values of the input are truncated, because it has more than 32 KB",
    "steps.reused": "Whether it was executed in the repeated run",
    "steps.started_at_ms": "Begin of the execution, epoch milliseconds",
    "steps.ended_at_ms": "End of the execution, epoch milliseconds",
    "steps.exports": "Exports of the step by name: any JSON",
    "steps.logs": "Log lines of the step, oldest first",
    "steps.logs.level": "info (also of console.log), warn, error or debug",
    "steps.logs.message": "The log line",
    "steps.logs.ts": "Time of the log line, epoch milliseconds",
    "steps.messages": "Messages that the step sent by $.send, in their order",
    "steps.messages.kind": "email, or http (also of uploads)",
    "steps.messages.target":
      "Method and origin of the URL; of an email its recipient, empty for the owner",
    "steps.messages.state": "pending: it is being sent, or will be repeated",
    "steps.messages.attempts": "Number of completed attempts",
    "steps.messages.error": "Reason why the last attempt failed; null: none failed",
    "steps.error": "Reason why the execution failed; null: it did not",
    ...failure("steps."),
  },
  runWorkflow: {
    event: "Value of steps.trigger.event: any JSON, at most 512 KB; absent: an empty object",
  },
  rerunWorkflow: {
    from_step:
      "The step to begin at: exports of earlier steps are copied from the repeated run. Absent: the first",
  },
};

function failure(before: string) {
  return {
    [`${before}error.code`]: "Name of the error's class",
    [`${before}error.message`]: "Message of the error",
    [`${before}error.stack`]: "Stack trace of the error; empty if there is none",
  };
}
