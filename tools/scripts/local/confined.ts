import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type ConfinedUntil, Confinement } from "#domain/confinement.ts";

const FILE = "confined.json";

/** The code that is confined to quarantine, stored in the state folder: it survives a restart. */
export class ConfinedCode {
  readonly #file: string;
  readonly #confinement: Confinement;
  #writing = Promise.resolve();

  /** Read the confined code of a state folder. An unreadable file counts as none: causes are then found again. */
  constructor(stateDir: string) {
    this.#file = join(stateDir, FILE);
    this.#confinement = new Confinement(readConfined(this.#file));
  }

  entries(): ConfinedUntil {
    return this.#confinement.entries(Date.now());
  }

  /** Confine code by its key. Resolves once the change is on disk. */
  confine(key: string): Promise<void> {
    this.#confinement.confine(key, Date.now());
    // One after the other, also after a failed one.
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const unfinished = `${this.#file}.tmp`;
    await writeFile(unfinished, JSON.stringify(this.entries()), { mode: 0o600 });
    await rename(unfinished, this.#file);
  }
}

function readConfined(file: string): ConfinedUntil {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    const entries = Object.entries(Object(read));
    return Object.fromEntries(
      entries.flatMap(([key, until]) => (typeof until === "number" ? [[key, until]] : [])),
    );
  } catch {
    return {};
  }
}
