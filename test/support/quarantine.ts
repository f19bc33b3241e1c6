import type { Lane, LossReason, SandboxProcess } from "#sandbox/processes/contract.ts";
import { Quarantine } from "#sandbox/processes/quarantine.ts";
import type { Suspect } from "#sandbox/processes/suspect.ts";

const LOST = () => Object.assign(new Error("Network connection lost."), { retryable: true });

/** A process in quarantine that answers pings unless it is blocked; when it is killed, its calls are lost. */
export class FakeProcess {
  readonly killed: Lane[] = [];
  readonly starts: Lane[] = [];
  #release: ((reason: Error) => void)[] = [];
  #held: PromiseWithResolvers<void> | undefined;
  /** The number of pings that it has answered. */
  pings = 0;
  failingStarts = 0;
  /** The CPU time that it gets of a millisecond. */
  share = 1;
  /** Whether a connection to it reports its end. */
  isConnected = true;
  #number = 0;
  #isRunning = false;
  loss: LossReason = "died";
  readonly #startedMs = Date.now();

  readonly ping = async () => {
    await this.#held?.promise;
    this.pings += 1;
  };

  /** Answer no ping from now on. */
  holdUp(): void {
    this.#held = Promise.withResolvers<void>();
  }

  goOn(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  room(lane: Lane) {
    const process = { ping: this.ping } as unknown as SandboxProcess;
    const supervisor = {
      start: async () => {
        this.starts.push(lane);
        if (this.starts.length <= this.failingStarts) throw new Error("No process");
        if (!this.#isRunning) this.#number += 1;
        this.#isRunning = true;
        return this.#number;
      },
      kill: async (_: Lane, number: number) => {
        if (number !== this.#number || !this.#isRunning) return;
        this.killed.push(lane);
        this.die();
      },
      cpuTime: async (_: Lane, number: number) =>
        number === this.#number && this.#isRunning
          ? (Date.now() - this.#startedMs) * this.share
          : ("ended" as const),
      lossOf: async () => this.loss,
      confine: async () => {},
      figures: async () => ({ processes: [] }),
    };
    return { lane, process, supervisor };
  }

  die(): void {
    this.#isRunning = false;
    if (!this.isConnected) return;
    this.goOn();
    for (const reject of this.#release) reject(LOST());
    this.#release = [];
  }

  /** A call that ends with the process. */
  readonly endless = () =>
    new Promise<never>((_, reject) => {
      this.#release.push(reject);
    });

  readonly looping = () => {
    this.holdUp();
    return this.endless();
  };
}

/** A call in quarantine. */
export function suspect(change: Partial<Suspect> = {}): Suspect {
  const startedMs = Date.now();
  const { key = "dc_1" } = change;
  const known = { key, owner: "u_1", place: 0, startedMs, expiresMs: startedMs + 60_000 };
  return { ...known, cpuMs: 10_000, ...change };
}

export const quick = async () => "done";

/** A quarantine, and the keys of the code that it confined. */
export function opened() {
  const confined: string[] = [];
  const quarantine = new Quarantine({
    confine: (key) => void confined.push(key),
    isConfined: (key) => confined.includes(key),
  });
  return { confined, quarantine };
}
