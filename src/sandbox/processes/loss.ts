/** The process of a call ended, though the connection to it may not have reported it. */
export class ProcessLost extends Error {
  override readonly name = "ProcessLost";
  /** As the runtime's error for a lost connection has it. */
  readonly retryable = true;

  constructor() {
    super("The sandbox process has ended");
  }
}

/** Whether a call failed because its process was lost. Errors of code are returned as data. */
export function isLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "retryable") === true;
}
