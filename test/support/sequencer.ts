import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small files that wait for a heartbeat. By default larger files run first, as they take longer. */
const WAITING = ["/test/agents/event-stream.test.ts"];

/** Runs files that wait long first in their project, so that none of them runs alone at the end. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a method of the sequencer.
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * projects.indexOf(project) + (WAITING.some((name) => moduleId.endsWith(name)) ? 0 : 1);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
