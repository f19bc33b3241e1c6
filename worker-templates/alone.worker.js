// The `$` of an action that runs by itself: what needs a workflow throws an error that says so.

/** Methods that would have no effect, or no receiver. */
const OF_FLOWS = ["delay", "suspend", "rerun", "trigger"];
const OF_SENDS = ["email", "emit", "sse"];

/**
 * A step's `$` without what needs a workflow. `$.flow.exit` ends nothing more than the action, and is in its log.
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
      // oxlint-disable-next-line no-console -- the console of the component's call, which is its log.
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
