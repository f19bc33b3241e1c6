/** The runtime of components, in every deployment. */
export const COMPATIBILITY_DATE = "2026-10-01";
/** No flag concerns the global fetch: requests of components go to `Egress` or the outbound Worker. */
export const COMPATIBILITY_FLAGS = ["nodejs_compat"];
