import type { Call } from "../../../src/sandbox/user-code.ts";
import type { Invoked } from "../driver/main.ts";
import type { ActionResult, ActionTest, ComponentFile } from "../src/testing.ts";
import { RUN_ID } from "./configured.ts";
import { leftBy } from "./outcome.ts";
import { type Session, withComponent } from "./session.ts";

/** Maximum exports of a step, in bytes of JSON, without earlier exports. */
const ROOM_BYTES = 1024 * 1024;

/** Run an action once, as a step of a workflow, in the runtime of the platform. */
export async function testAction(
  file: ComponentFile,
  { steps = {}, context = {}, ...given }: ActionTest = {},
): Promise<ActionResult> {
  return withComponent(file, given, async (session) => {
    const { runtime, component, map, deadlineMs } = session;
    const { definition, instance, stores, warnings } = component;
    if (definition.type !== "action")
      throw new TypeError("testAction: the component is a source, which testSource runs");
    const call: Call = {
      kind: "step",
      deadlineMs,
      runId: RUN_ID,
      instance: { ...instance, sourceId: "p_test" },
      step: {
        name: "action",
        steps: JSON.stringify(steps),
        context: JSON.stringify({ ...contextIn(session), ...context }),
        isComputed: false,
        resumeUrl: "https://endpoint.test/resume",
        cancelUrl: "https://endpoint.test/cancel",
        room: ROOM_BYTES,
      },
    };
    const invoked = await runtime.send<Invoked>({ kind: "invoke", call, stores });
    return { ...leftBy(invoked, map), warnings, ...stepOf(invoked) };
  });
}

/** `$.context` of a first run. */
function contextIn({ nowMs, deadlineMs }: Session): Record<string, unknown> {
  return {
    id: RUN_ID,
    ts: new Date(nowMs).toISOString(),
    workflow_id: "p_test",
    deployment_id: "d_test",
    source_type: "http",
    verified: false,
    owner_id: "u_test",
    platform_version: "1",
    deadline: nowMs + deadlineMs,
    JIT: false,
    test: true,
    run: { runs: 1 },
  };
}

type OfStep = Pick<ActionResult, "ret" | "exports" | "exit" | "pause" | "sends" | "triggers">;

function stepOf({ outcome, triggers }: Invoked): OfStep {
  const { exports = "{}", exit, pause, sideEffects = [] } = outcome.step ?? {};
  const { $return_value: ret, ...named } = JSON.parse(exports);
  return {
    ret,
    exports: named,
    exit,
    pause: pause && pauseOf(pause),
    sends: sideEffects.map(({ kind, message }) => ({ kind, message: JSON.parse(message) })),
    triggers: triggers.map(({ workflowId, event }) => ({ workflowId, event: JSON.parse(event) })),
  };
}

function pauseOf({
  kind,
  ms,
  context,
}: {
  kind: "delay" | "suspend" | "rerun";
  ms: number;
  context?: string;
}) {
  return { kind, ms, ...(context !== undefined && { context: JSON.parse(context) }) };
}
