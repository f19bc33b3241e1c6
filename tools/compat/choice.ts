import { readFile } from "node:fs/promises";

import type { Candidate } from "./folder.ts";

/** The candidates that a file lists by their paths, one a line, in its order. Throws on an unknown path. */
export async function listedIn(
  file: string,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const byPath = new Map(candidates.map((candidate) => [candidate.path, candidate]));
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((path) => {
      const candidate = byPath.get(path) ?? byPath.get(`components/${path}`);
      if (!candidate) throw new Error(`--list: ${path} is not a component of the folder`);
      return candidate;
    });
}

/** This many candidates, of as many apps as possible: one of each app, then a second of each, and so on. */
export function sampleOf(candidates: readonly Candidate[], count: number): Candidate[] {
  const rounds: Candidate[][] = [];
  for (const [, ofApp] of Map.groupBy(spread(candidates), ({ app }) => app))
    for (const [round, candidate] of ofApp.entries()) (rounds[round] ??= []).push(candidate);
  return rounds.flatMap((round) => spread(round)).slice(0, count);
}

/** In a pseudo-random order, the same each time. */
function spread(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => hashOf(a.path) - hashOf(b.path));
}

/** FNV-1a over a text. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const character of text) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01_00_01_93) >>> 0;
  }
  return hash;
}
