/** The header that says where a request of the component goes. */
export const URL_HEADER = "x-test-url";

/** The header by which the test says that there is no network. */
export const FAILED_HEADER = "x-test-failed";
