import { Failure } from "./failure.ts";
import { program } from "./program.ts";
import { color } from "./terminal/output.ts";

/** Commander's codes for having shown help or the version. */
const SHOWN = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

// A reader such as `head` closed the pipe.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program().parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) {
    report(error);
    return error.exitCode;
  }
  const code = codeOf(error);
  if (code?.startsWith("commander.")) return SHOWN.has(code) ? 0 : 2;
  console.error(error);
  return 1;
}

function report({ message, next, details }: Failure): void {
  const what = color.red("error:");
  console.error(`${what} ${message}${next === undefined ? "" : `; ${next}`}`);
  for (const detail of details) console.error(`  ${detail}`);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return String(error.code);
}
