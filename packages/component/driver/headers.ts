/** The header with the target of a component's request. */
export const URL_HEADER = "x-test-url";

/** The header by which the test reports a failed network. */
export const FAILED_HEADER = "x-test-failed";
