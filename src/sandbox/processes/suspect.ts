import { tenantOf } from "#domain/confinement.ts";

import { Entry } from "./line.ts";

/** The owner of a call, and the maximum time of its code without yielding. */
export type Suspect = {
  /** The `codeKey` to confine if it is the cause. */
  key: string;
  owner: string;
  /** The place where the call was in progress when its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  /** The time from which nobody waits for the call. */
  expiresMs: number;
  cpuMs: number;
};

/** A call in quarantine. */
export class SuspectEntry extends Entry<Suspect> {
  /** Whether it blocked its process for long. */
  isHeavy = false;
  /** Whether its process was killed, so that it runs elsewhere. */
  isMoved = false;
  /** Whether its tenant has the call that was caught: it is not released with the others, and later calls wait for it. */
  isHeldBack = false;
  /** Whether later calls of the same code need not wait for its trial any more. */
  isSettled = false;
  /** The number of its processes that were killed from outside. */
  outsideKills = 0;

  /** Whether later calls of this code wait for it. */
  holds(key: string): boolean {
    const { key: own } = this.call;
    return key === own || (this.isHeldBack && tenantOf(key) === tenantOf(own));
  }
}
