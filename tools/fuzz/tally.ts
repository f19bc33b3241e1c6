import type { Operation } from "./document.ts";
import type { FuzzedRequest } from "./requests.ts";

type Found = { fault: string; sent: string; count: number };

/** The results of all requests of a run. */
export class Tally {
  readonly #statuses = new Map<number, number>();
  readonly #answered: Map<Operation, Set<number>>;
  readonly #found = new Map<string, Found>();

  constructor(operations: readonly Operation[]) {
    this.#answered = new Map(operations.map((operation) => [operation, new Set()]));
  }

  /** Record a response and its fault. Of requests that fail alike the shortest is kept. */
  note({ operation }: FuzzedRequest, { status }: { status: number }, fault?: Omit<Found, "count">) {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#answered.get(operation)?.add(status);
    if (!fault) return;
    const kind = `${operation.method} ${operation.path} ${fault.fault.slice(0, 40)}`;
    const before = this.#found.get(kind);
    const isShorter = !before || fault.sent.length < before.sent.length;
    this.#found.set(kind, { ...(isShorter ? fault : before), count: (before?.count ?? 0) + 1 });
  }

  /** Print the results. Returns whether every response kept the contract. */
  report(): boolean {
    const counts = [...this.#statuses].toSorted(([a], [b]) => a - b).map((one) => one.join(": "));
    console.log(`Statuses: ${counts.join(", ")}`);
    const failing = [...this.#answered].filter(
      ([, seen]) => ![...seen].some((status) => status < 300),
    );
    const names = failing.map(([{ plane, method, path }]) => `${method} /${plane}${path}`);
    if (names.length > 0) console.log(`Never succeeded: ${names.join(", ")}`);
    for (const { fault, sent, count } of this.#found.values())
      console.log(`\n${count} × ${sent}\n    ${fault}`);
    const { size } = this.#found;
    console.log(size === 0 ? "Every response kept the contract." : `\n${size} kinds of fault.`);
    return size === 0;
  }
}
