/** What does not apply to the endpoint: whole scenarios, or checks as `scenario:check`, and the reason. */
export type NotApplicable = { reason: string; scenarios: readonly string[] };

export const NOT_APPLICABLE: readonly NotApplicable[] = [
  {
    reason: "There are no prompts and no resources, and none are declared.",
    scenarios: [
      "caching:sep-2549-prompts-list-caching-hints",
      "caching:sep-2549-resources-list-caching-hints",
      "caching:sep-2549-resources-templates-list-caching-hints",
      "completion-complete",
      "input-required-result-non-tool-request",
      "prompts-get-embedded-resource",
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-with-image",
      "prompts-list",
      "resources-list",
      "resources-read-binary",
      "resources-read-text",
      "resources-templates-read",
      "sep-2164-resource-not-found",
    ],
  },
  {
    reason: "No tool needs a capability of the client, so none is refused for the lack of one.",
    scenarios: [
      "server-stateless:sep-2575-missing-capability-http-400",
      "server-stateless:sep-2575-server-rejects-undeclared-capability",
    ],
  },
  {
    reason: "No tool asks its client for more input in the middle of a call.",
    scenarios: [
      "input-required-result-basic-elicitation",
      "input-required-result-basic-list-roots",
      "input-required-result-basic-sampling",
      "input-required-result-capability-check",
      "input-required-result-ignore-extra-params",
      "input-required-result-missing-input-response",
      "input-required-result-multi-round",
      "input-required-result-multiple-input-requests",
      "input-required-result-request-state",
      "input-required-result-result-type",
      "input-required-result-tampered-state",
      "input-required-result-unsupported-methods",
      "input-required-result-validate-input",
    ],
  },
  {
    reason: "Results of actions are JSON: no tool returns an image, a sound or a given text.",
    scenarios: [
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-image",
      "tools-call-mixed-content",
      "tools-call-simple-text",
    ],
  },
  {
    reason: "Actions have no way to report their progress.",
    scenarios: ["tools-call-with-progress"],
  },
  {
    reason:
      "The schema of a tool is made from the props of its action, which have neither of these.",
    scenarios: ["http-custom-header-server-validation", "json-schema-2020-12"],
  },
  {
    reason: "The extension of tasks is not offered, and the suite does not score it.",
    scenarios: [
      "tasks-capability-negotiation",
      "tasks-dispatch-and-envelope",
      "tasks-lifecycle",
      "tasks-mrtr-composition",
      "tasks-mrtr-input",
      "tasks-request-headers",
      "tasks-request-state-removal",
      "tasks-required-task-error",
      "tasks-status-notifications",
      "tasks-wire-fields",
    ],
  },
];
