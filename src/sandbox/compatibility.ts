/** The runtime that components are written for, wherever they run. */
export const COMPATIBILITY_DATE = "2026-10-01";
/** None is about the global fetch: components have none, theirs goes to `Egress` or the outbound Worker. */
export const COMPATIBILITY_FLAGS = ["nodejs_compat"];
