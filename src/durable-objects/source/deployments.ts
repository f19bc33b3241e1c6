import type { Current, Deployment } from "./contract.ts";

/** What is deployed, and how far along it is. */
export type Status = {
  /** `changing` while a create or an update runs hooks. */
  phase: "changing" | "settled";
  active: boolean;
};

const DEPLOYMENT = "deployment";
const STATUS = "status";
const PREVIOUS = "previous";
const UNTOLD = "untold";

/** The deployment that a source runs by, kept in its storage. */
export class Deployments {
  readonly #kv: SyncKvStorage;
  // Read on every event; storage has the same.
  #current: Deployment | undefined;
  #status: Status;
  #untold: string | undefined;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#current = kv.get<Deployment>(DEPLOYMENT);
    this.#status = kv.get<Status>(STATUS) ?? { phase: "settled", active: false };
    this.#untold = kv.get<string>(UNTOLD);
  }

  current(): Deployment | undefined {
    return this.#current;
  }

  status(): Status {
    return this.#status;
  }

  /** What ran before the update that is under way; it comes back if that fails or never ends. */
  previous(): Current | undefined {
    return this.#kv.get<Current>(PREVIOUS);
  }

  /** What runs when no change is under way, or ran before the one that is. */
  settled(): Current | undefined {
    const { phase, active } = this.#status;
    if (phase === "changing") return this.previous();
    return this.#current && { deployment: this.#current, active };
  }

  /** The change of which the source's row does not know what became of it; undefined: there is none. */
  untold(): string | undefined {
    return this.#untold;
  }

  /** The row knows what became of a change. */
  told(change: string): void {
    if (this.#untold !== change) return;
    this.#untold = undefined;
    this.#kv.delete(UNTOLD);
  }

  /** Begin a change: `deployment` serves from now on, and what ran before is kept until the change settles. */
  begin(deployment: Deployment, active: boolean): void {
    this.#untold = deployment.change ?? "";
    this.#kv.put(UNTOLD, this.#untold);
    if (this.#current)
      this.#kv.put(PREVIOUS, { deployment: this.#current, active: this.#status.active });
    this.#put(deployment, { phase: "changing", active });
  }

  /** End a change: what runs now is what stays. */
  settle(): void {
    this.#status = { ...this.#status, phase: "settled" };
    this.#kv.put(STATUS, this.#status);
    this.#kv.delete(PREVIOUS);
  }

  /** Take a change back: what ran before runs again. */
  restore({ deployment, active }: Current): void {
    this.#put(deployment, { phase: "changing", active });
  }

  /** Keep the same secrets in another wrapping; false where what is deployed is being changed, or was. */
  reseal(from: Deployment, sealedProps: Record<string, string>): boolean {
    if (this.#current !== from || this.#status.phase === "changing") return false;
    this.#put({ ...from, sealedProps }, this.#status);
    return true;
  }

  /** Forget everything; storage is erased by the caller. */
  clear(): void {
    this.#current = undefined;
  }

  #put(deployment: Deployment, status: Status): void {
    this.#kv.put(DEPLOYMENT, deployment);
    this.#kv.put(STATUS, status);
    this.#current = deployment;
    this.#status = status;
  }
}
