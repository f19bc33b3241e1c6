/** Exit codes: 1, the command failed; 2, its usage was wrong. */
export type ExitCode = 1 | 2;

/** A failure that the user can act on: one line, and the next step. Any other thrown error is a bug. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly next: string | undefined;
  readonly exitCode: ExitCode;
  /** More lines for people, such as the place of a syntax error. */
  readonly details: readonly string[];

  constructor(
    message: string,
    more: { next?: string; exitCode?: ExitCode; details?: readonly string[] } = {},
  ) {
    super(message);
    this.next = more.next;
    this.exitCode = more.exitCode ?? 1;
    this.details = more.details ?? [];
  }
}

/** A wrong usage of a command. */
export function misuse(message: string, next?: string): Failure {
  return new Failure(message, { exitCode: 2, ...(next !== undefined && { next }) });
}
