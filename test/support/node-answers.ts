import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync, realpathSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { TestProject } from "vitest/node";

import { TREES, type ResolutionTree } from "../fixtures/resolution/trees.ts";

/** What Node itself finds, by tree, importer, specifier and kind; null where it finds nothing. */
export type NodeAnswers = Record<string, string | null>;

declare module "vitest" {
  export interface ProvidedContext {
    nodeAnswers: NodeAnswers;
  }
}

/** Ask Node, before the tests, what it finds in the trees that the resolver is tested on. */
export default async function setup(project: TestProject): Promise<void> {
  const answers = await Promise.all(TREES.map((tree) => answersIn(tree)));
  project.provide("nodeAnswers", Object.assign({}, ...answers) as NodeAnswers);
}

async function answersIn({ title, files, asked }: ResolutionTree): Promise<NodeAnswers> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "resolution-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const answers: NodeAnswers = {};
  for (const { importer, specifiers } of asked) {
    const imported = importAnswers(join(root, dirname(importer)), specifiers);
    const required = createRequire(join(root, importer));
    for (const specifier of specifiers) {
      const key = `${title}|${importer}|${specifier}`;
      answers[`${key}|require`] = found(root, () => required.resolve(specifier));
      answers[`${key}|import`] = found(root, () => imported[specifier] ?? "");
    }
  }
  rmSync(root, { recursive: true });
  return answers;
}

/** Asked of another process: the test runner has an `import` of its own. */
function importAnswers(folder: string, specifiers: string[]): Record<string, string> {
  const probe = join(folder, "__probe.mjs");
  writeFileSync(probe, PROBE);
  const answers = execFileSync(process.execPath, [probe, ...specifiers], { encoding: "utf8" });
  rmSync(probe);
  return JSON.parse(answers) as Record<string, string>;
}

const PROBE = `
  const answers = {};
  for (const specifier of process.argv.slice(2)) {
    try {
      answers[specifier] = import.meta.resolve(specifier);
    } catch {}
  }
  console.log(JSON.stringify(answers));
`;

function found(root: string, look: () => string): string | null {
  try {
    const answer = look();
    if (answer.startsWith("node:") || builtinModules.includes(answer)) {
      return `node:${answer.replace(/^node:/, "")}`;
    }
    const path = answer.startsWith("file:") ? fileURLToPath(answer) : answer;
    return statSync(path).isFile() ? relative(root, path) : null;
  } catch {
    return null;
  }
}
