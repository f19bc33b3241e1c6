/** Something that goes wrong once, with the next call about a script (or a namespace, for listings). */
export type Fault = {
  /** Only with a call of this method. */
  method?: string;
  /** Whether the call takes effect all the same. */
  isApplied?: boolean;
  /** Absent: what the API says to it, late. */
  answer?: "reset" | "hang" | { status: number; headers?: Record<string, string>; text: string };
  /** How long the call waits before anything comes of it. */
  afterMs?: number;
};

/** What a test asks for: faults in order, and how long an uploaded script cannot be called. */
export type FaultPlan = { faults?: Fault[]; callableAfterMs?: number };

type Call = { method: string; atMs: number };

const OUTAGE: Fault = {
  answer: {
    status: 503,
    text: `{"success":false,"errors":[{"code":10013,"message":"out of order"}],"messages":[],"result":null}`,
  },
};

/** What is to go wrong, by script, and what was called. */
export class Faults {
  /** While there is an outage, no call gets through. */
  isOut = false;
  readonly #plans = new Map<string, FaultPlan>();
  readonly #calls = new Map<string, Call[]>();

  set(about: string, plan: FaultPlan): void {
    this.#plans.set(about, plan);
  }

  next(about: string, method: string): Fault | undefined {
    if (this.isOut) return OUTAGE;
    const faults = this.#plans.get(about)?.faults ?? [];
    const index = faults.findIndex((fault) => (fault.method ?? method) === method);
    return index < 0 ? undefined : faults.splice(index, 1)[0];
  }

  note(about: string, method: string): void {
    this.#calls.set(about, [...this.calls(about), { method, atMs: Date.now() }]);
  }

  calls(about: string): Call[] {
    return this.#calls.get(about) ?? [];
  }

  /** A script is not callable everywhere at once when its upload was taken in. */
  isCallable(script: string): boolean {
    const afterMs = this.#plans.get(script)?.callableAfterMs ?? 0;
    const uploadedMs = this.calls(script).findLast(({ method }) => method === "PUT")?.atMs ?? 0;
    return Date.now() >= uploadedMs + afterMs;
  }
}
