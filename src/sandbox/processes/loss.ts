/** Whether a call failed because the process that it went to is gone. Errors of code come back as data. */
export function isLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "retryable") === true;
}
