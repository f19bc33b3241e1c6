import type { Operator } from "./operator.ts";

/** A platform that is backed up or restored: on this machine, or deployed. */
export type Target = {
  /** Its name in messages to the operator. */
  name: string;
  origin: string;
  release: string;
  /** Of the platform as it runs by now: it may have been started anew. */
  operator: () => Operator;
  /** Bring every secret under the current master key: a backup opens with that one alone. */
  rewrap(): Promise<void>;
  /** Write all that its database holds to a SQLite file, as of one moment. */
  copyDatabase(file: string): Promise<void>;
  /** Have these files of statements make its database anew, and migrations that came after them applied. */
  replaceDatabase(files: readonly string[]): Promise<void>;
  /** Whether there is nothing yet that a restore would overwrite. */
  isEmpty(): Promise<boolean>;
  /** All that was restored is there: let it be what is found from now on. */
  finish(): Promise<void>;
  close(): Promise<void>;
};
