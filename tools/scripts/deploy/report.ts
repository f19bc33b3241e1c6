/** Reports to the operator, one line a step: existing resources, changes, and changes that a dry run omits. */
export type Report = {
  readonly dryRun: boolean;
  note(state: string, what: string): void;
  /** Make a change and report it; in a dry run, only report it. `verb` as in "create" of "created". */
  change<T>(verb: Verb, what: string, work: () => Promise<T>): Promise<T | undefined>;
};

const DONE = {
  create: "created",
  apply: "applied",
  upload: "uploaded",
  attach: "attached",
  generate: "generated",
  check: "checked",
} as const;
type Verb = keyof typeof DONE;

const STATE_WIDTH = 14;

/** A report that prints through `print`, one line at a time. */
export function openReport(dryRun: boolean, print: (line: string) => void): Report {
  const note = (state: string, what: string): void => print(`${state.padEnd(STATE_WIDTH)} ${what}`);
  return {
    dryRun,
    note,
    async change(verb, what, work) {
      if (dryRun) {
        note(`would ${verb}`, what);
        return undefined;
      }
      const made = await work();
      note(DONE[verb], what);
      return made;
    },
  };
}
