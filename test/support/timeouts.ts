/**
 * The time after which a test of whole platforms, processes or builds hangs, in milliseconds. A busy machine takes minutes to
 * compile; a test that fails by an assertion or an earlier timeout does not wait for it.
 */
export const HANGS_AFTER_MS = 300_000;

/** The time after which such a test no longer waits for an expected state, so that its error names the state. */
export const POLL_TIMEOUT_MS = HANGS_AFTER_MS / 2;
