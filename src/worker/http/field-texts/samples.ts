/** A component of one line. */
export const CODE =
  'export default { name: "Greet", version: "1.0.0", run() { this.$emit("hello"); } };';
/** The id of an event. */
export const EVENT_ID = "1767225600000-0";
/** One time in the three formats of the APIs. */
export const SECONDS = 1_767_225_600;
export const MILLISECONDS = 1_767_225_600_000;
export const TIME = "2026-01-01T00:00:00.000Z";
/** The stack trace of an error. */
export const STACK = "TypeError: fetch failed\n    at run (component.js:3:9)";
