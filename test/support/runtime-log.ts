import { once } from "./once.ts";

/** The runtime's own messages that tests cause. */
const EXPECTED = [
  // A component requests a name that no server has.
  /failed to lookup address information/,
  // A component sends a request by TLS to a port without it.
  /TLS handshake failed/,
  // A caller of the compiler has gone before its build has ended.
  /A promise was resolved or rejected from a different request context/,
  // A test runs an alarm ahead of its time, or a busy machine runs it late.
  /SQLite alarm overdue, running despite AlarmManager mismatch/,
  /SQLite alarm handler canceled with requestScheduledAlarm/,
];

/**
 * Keep messages that tests provoke on purpose out of the output. The test runner writes each error of the runtime to
 * stderr, where no test can expect it.
 */
export function leaveOutExpectedErrors(): void {
  once("runtime-log", () => {
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
      (typeof chunk === "string" && EXPECTED.some((expected) => expected.test(chunk))) ||
      (Reflect.apply(write, process.stderr, [chunk, ...rest]) as boolean);
    return true;
  });
}
