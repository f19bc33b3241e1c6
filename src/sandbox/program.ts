import { programOf } from "#domain/agent-programs.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";

import frame from "../../worker-templates/program.worker.js";
import type { Bundle } from "./user-code.ts";

/** The origin of a program's requests for actions, which only its host serves. */
export const ACTIONS_ORIGIN = "https://actions.invalid";

/** The first line of a program's text in its module: after the frame and the line of the function. */
const LINES_BEFORE = frame.split("\n").length + 1;

/** The runtime's error for a module that it cannot start, with the position in the program. */
const NOT_STARTED = /Uncaught (\w+): ([^\n]*)(?:\n\s*at component\.js:(\d+))?/;

/** The reason why a program did not start, from the message of an error. */
export function startFailure(message: string): Failure | undefined {
  const [, name, text, line] = NOT_STARTED.exec(message) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const place = line === undefined ? "" : ` (line ${Math.max(1, Number(line) - LINES_BEFORE)})`;
  return newFailure(name, text + place);
}

/** A program of an agent as the bundle of a component. */
export async function bundleOfProgram(program: string): Promise<Bundle> {
  const code = frame + programOf(program);
  return {
    hash: await sha256Hex(code),
    code,
    map: "",
    dependencies: { hash: "", modules: {} },
    lockfile: EMPTY_LOCKFILE,
    mayConnect: false,
  };
}
