/** Whether a call failed because its process was lost. Errors of code are returned as data. */
export function isLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "retryable") === true;
}
