import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync, realpathSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { TestProject } from "vitest/node";

import { TREES, type ResolutionTree } from "../fixtures/resolution/trees.ts";
import { once } from "./once.ts";

/** The files that Node resolves, by tree, importer, specifier and kind; null if it finds none. */
export type NodeAnswers = Record<string, string | null>;

declare module "vitest" {
  export interface ProvidedContext {
    nodeAnswers: NodeAnswers;
  }
}

/** Resolve the trees of the resolver's tests with Node, before the tests. */
export default async function setup(project: TestProject): Promise<void> {
  const answers = await once("node-answers", () => Promise.all(TREES.map(answersIn)));
  project.provide("nodeAnswers", Object.assign({}, ...answers) as NodeAnswers);
}

async function answersIn({ title, files, queries }: ResolutionTree): Promise<NodeAnswers> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "resolution-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const answers: NodeAnswers = {};
  for (const { importer, specifiers } of queries) {
    const found = resolveInNode(join(root, dirname(importer)), specifiers);
    for (const kind of ["require", "import"] as const) {
      for (const specifier of specifiers) {
        const key = `${title}|${importer}|${specifier}|${kind}`;
        answers[key] = insideOf(root, found[kind][specifier] ?? "");
      }
    }
  }
  rmSync(root, { recursive: true });
  return answers;
}

type Found = Record<"require" | "import", Record<string, string>>;

/**
 * Query another process, as the test runner has its own `import`. It does not warn about deprecated fields: the trees
 * have them on purpose.
 */
function resolveInNode(folder: string, specifiers: string[]): Found {
  const probe = join(folder, "__probe.mjs");
  writeFileSync(probe, PROBE);
  const answers = execFileSync(process.execPath, ["--no-deprecation", probe, ...specifiers], {
    encoding: "utf8",
  });
  rmSync(probe);
  return JSON.parse(answers) as Found;
}

const PROBE = `
  import { createRequire } from "node:module";
  const { resolve } = createRequire(import.meta.url);
  const found = { require: {}, import: {} };
  for (const specifier of process.argv.slice(2)) {
    try {
      found.require[specifier] = resolve(specifier);
    } catch {}
    try {
      found.import[specifier] = import.meta.resolve(specifier);
    } catch {}
  }
  console.log(JSON.stringify(found));
`;

/** The file inside of a tree that Node resolved, or its own module; null if it found none. */
function insideOf(root: string, answer: string): string | null {
  if (answer.startsWith("node:") || builtinModules.includes(answer)) {
    return `node:${answer.replace(/^node:/, "")}`;
  }
  const path = answer.startsWith("file:") ? fileURLToPath(answer) : answer;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? relative(root, path) : null;
}
