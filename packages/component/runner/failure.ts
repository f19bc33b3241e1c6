import type { Failure } from "../../../src/domain/invocation.ts";
import { mapStack } from "../../../src/sandbox/stack.ts";

/** The error of a component, with positions in its own files. */
export function located({ name, message, stack }: Failure, map: string): Failure {
  return { name, message, stack: mapStack(stack, map) };
}

/** The error of an invalid component, as an error of the test. */
export function failureError(failure: Failure, map: string): Error {
  const { name, message, stack } = located(failure, map);
  const error = new Error(`The component failed: ${name}: ${message}`);
  if (stack !== "") error.stack = `${error.message}\n${stack}`;
  return error;
}
