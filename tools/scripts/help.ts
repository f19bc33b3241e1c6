import { relative } from "node:path";

import { TEXTS } from "./help-texts.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** The output of a script's `--help`; undefined if it has none. */
function helpOf(file: string): string | undefined {
  const text = TEXTS[file];
  if (!text) return undefined;
  const { usage, does, options = {} } = text;
  const names = Object.keys(options);
  const width = Math.max(0, ...names.map((name) => name.length)) + 2;
  const rows = names.map((name) => `  ${name.padEnd(width)}${options[name]}`);
  return [usage, "", does, ...(rows.length > 0 ? ["", ...rows] : []), ""].join("\n");
}

const [, script = "", ...args] = process.argv;
if (args.includes("--help") || args.includes("-h")) {
  const help = helpOf(relative(ROOT, script));
  if (help !== undefined) {
    process.stdout.write(help);
    process.exit(0);
  }
}
