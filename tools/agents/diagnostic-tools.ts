import { type Caller, call } from "../scripts/api.ts";

/** The app whose actions are the tools that the suite calls by name. */
export const DIAGNOSTIC_APP = "conformance";

/** The tools of the suite's own server that an action can be, and the code that each runs. */
export const DIAGNOSTIC_TOOLS = [
  { name: "test_streaming_elicitation", code: "return 1;" },
  { name: "test_logging_tool", code: `console.log("one line"); return 1;` },
  { name: "test_error_handling", code: `throw new Error("This tool always fails");` },
] as const;

/**
 * Save the actions, so that the endpoint offers them as tools of their app, and run each once: the suite waits half a
 * second for a result, and the first run of an action loads its code.
 */
export async function saveDiagnosticTools(caller: Caller): Promise<void> {
  for (const { name, code } of DIAGNOSTIC_TOOLS) {
    const component_code = `export default {
      key: "${name}", name: "${name}", version: "1.0.0", type: "action",
      props: { app: { type: "app", app: "${DIAGNOSTIC_APP}" } },
      run() { ${code} },
    };`;
    const { id } = await call<{ id: string }>(caller, "/components", { component_code });
    // The last one always fails.
    await call(caller, "/actions/run", { component_id: id }).catch(() => undefined);
  }
}
