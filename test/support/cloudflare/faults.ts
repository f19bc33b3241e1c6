/** A fault of a call. */
export type Fault = {
  /** Only for calls of this method. */
  method?: string;
  /** Whether the call takes effect all the same. */
  isApplied?: boolean;
  /** Absent: the API's response, late. "cut": a truncated response and a closed connection. */
  answer?:
    | "reset"
    | "hang"
    | "cut"
    | { status: number; headers?: Record<string, string>; text: string };
  /** The delay before any effect of the call. */
  afterMs?: number;
};

/** A test's plan: faults in order, and the time until an uploaded script is callable. */
export type FaultPlan = { faults?: Fault[]; callableAfterMs?: number };

/** The attributes of a call: a name such as `GET /accounts`, and its script or namespace. */
type Called = { name: string; about: string; method: string };

type Failing = { prefix: string; fault: Fault; times: number };

const OUTAGE: Fault = {
  answer: {
    status: 503,
    text: `{"success":false,"errors":[{"code":10013,"message":"out of order"}],"messages":[],"result":null}`,
  },
};

/** The planned faults, and the calls. */
export class Faults {
  /** During an outage, every call fails. */
  isOut = false;
  readonly #plans = new Map<string, FaultPlan>();
  readonly #calls = new Map<string, { method: string; atMs: number }[]>();
  #failing: Failing[] = [];
  #eachOnce: { fault: Fault; seen: Set<string> } | undefined;

  set(about: string, plan: FaultPlan): void {
    this.#plans.set(about, plan);
  }

  /** Make calls fail whose method and path begin so, or with a `$` at the end are so, that many times. */
  fail(prefix: string, fault: Fault, times = Infinity): void {
    this.#failing.unshift({ prefix, fault, times });
  }

  /** Make every call fail once, and succeed on the retry. */
  failEachOnce(fault: Fault): void {
    this.#eachOnce = { fault, seen: new Set() };
  }

  /** End all faults but those planned for a script or a namespace. */
  recover(): void {
    this.#failing = [];
    this.#eachOnce = undefined;
  }

  next({ name, about, method }: Called): Fault | undefined {
    if (this.isOut) return OUTAGE;
    return this.#planned(about, method) ?? this.#failingNow(name) ?? this.#firstOf(name);
  }

  #planned(about: string, method: string): Fault | undefined {
    const faults = this.#plans.get(about)?.faults ?? [];
    const index = faults.findIndex((fault) => (fault.method ?? method) === method);
    return index < 0 ? undefined : faults.splice(index, 1)[0];
  }

  #failingNow(name: string): Fault | undefined {
    const due = this.#failing.find(
      ({ prefix, times }) => times > 0 && `${name}$`.startsWith(prefix),
    );
    if (due) due.times -= 1;
    return due?.fault;
  }

  #firstOf(name: string): Fault | undefined {
    if (!this.#eachOnce || this.#eachOnce.seen.has(name)) return undefined;
    this.#eachOnce.seen.add(name);
    return this.#eachOnce.fault;
  }

  note({ about, method }: Called): void {
    this.#calls.set(about, [...this.calls(about), { method, atMs: Date.now() }]);
  }

  calls(about: string): { method: string; atMs: number }[] {
    return this.#calls.get(about) ?? [];
  }

  /** A script is not callable everywhere as soon as its upload is accepted. */
  isCallable(script: string): boolean {
    const afterMs = this.#plans.get(script)?.callableAfterMs ?? 0;
    const uploadedMs = this.calls(script).findLast(({ method }) => method === "PUT")?.atMs ?? 0;
    return Date.now() >= uploadedMs + afterMs;
  }
}
