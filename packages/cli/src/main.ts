import { Failure } from "./failure.ts";
import { program } from "./program.ts";
import { color, visible } from "./terminal/output.ts";

/** Commander's codes for having shown help or the version. */
const SHOWN = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

/** The errors of writes to a closed pipe, and to a closed terminal. */
const CLOSED = new Set(["EPIPE", "EIO"]);

let isHungUp = false;

// A reader such as `head` closed the pipe, or the terminal is closed: each later write fails, too.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!CLOSED.has(error.code ?? "")) throw error;
    hangUp();
  });

// In a clone, the process of bin/wellspring.js was killed.
process.on("disconnect", hangUp);
process.channel?.unref();

try {
  await program().parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** End the command like the signal of a closed terminal, once: `dev` first ends its source. */
function hangUp(): void {
  if (isHungUp) return;
  isHungUp = true;
  if (!process.emit("SIGHUP", "SIGHUP")) process.exit(0);
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
  console.error(visible(`${what} ${message}${next === undefined ? "" : `; ${next}`}`));
  for (const detail of details) console.error(visible(`  ${detail}`));
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return String(error.code);
}
