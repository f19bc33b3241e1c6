import { expect } from "vitest";

/** Matches a number of seconds, and some more for what the test itself takes. */
export const about = (seconds: number) =>
  expect.toSatisfy((actual: number) => actual >= seconds && actual < seconds + 30) as unknown;
