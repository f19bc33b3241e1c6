import type { Operator } from "./operator.ts";

/** A platform that is backed up or restored: on this machine, or deployed. */
export type Target = {
  /** Its name in messages to the operator. */
  name: string;
  origin: string;
  release: string;
  /** Of the current process of the platform, which may have restarted. */
  operator: () => Operator;
  /** Rewrap every secret with the current master key: a backup decrypts with that one alone. */
  rewrap(): Promise<void>;
  /** Write a snapshot of its database to a SQLite file. */
  copyDatabase(file: string): Promise<void>;
  /** Recreate its database from these files of statements, and apply later migrations. */
  replaceDatabase(files: readonly string[]): Promise<void>;
  /** Whether there are no resources yet that a restore would overwrite. */
  isEmpty(): Promise<boolean>;
  /** Make the restored state the current one. */
  finish(): Promise<void>;
  close(): Promise<void>;
};
