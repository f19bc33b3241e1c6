import { once } from "./once.ts";

/** Errors that the runtime reports itself where tests ask for a name that no server has. */
const EXPECTED = /failed to lookup address information/;

/**
 * Keep what tests provoke on purpose out of the output. The test runner writes each error of the runtime to stderr,
 * where no test can expect it.
 */
export function leaveOutExpectedErrors(): void {
  once("runtime-log", () => {
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
      (typeof chunk === "string" && EXPECTED.test(chunk)) ||
      (Reflect.apply(write, process.stderr, [chunk, ...rest]) as boolean);
    return true;
  });
}
