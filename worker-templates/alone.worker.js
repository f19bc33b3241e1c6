// The `$` of an action that runs by itself: methods that need a workflow throw an error.

/** Methods without an effect or a receiver. */
const OF_FLOWS = ["delay", "suspend", "rerun", "trigger"];
const OF_SENDS = ["email", "emit", "sse"];

/**
 * A step's `$` without the methods that need a workflow. `$.flow.exit` only ends the action, and is logged.
 * @param {Record<string, any>} dollar
 * @returns {Record<string, any>}
 */
export function withoutWorkflow(dollar) {
  const { flow, send } = dollar;
  return {
    ...dollar,
    respond: refusal("respond"),
    flow: {
      ...flow,
      ...refusals("flow", OF_FLOWS),
      // oxlint-disable-next-line no-console -- this console writes to the log of the component's call.
      exit: (reason) => console.log(`$.flow.exit: ${reason ?? "no reason given"}`),
    },
    send: { ...send, ...refusals("send", OF_SENDS) },
  };
}

function refusals(group, names) {
  return Object.fromEntries(names.map((name) => [name, refusal(`${group}.${name}`)]));
}

function refusal(name) {
  return () => {
    throw new Error(`$.${name} is not offered here: the action runs without a workflow`);
  };
}
