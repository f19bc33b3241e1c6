import type { Current, Deployment } from "./contract.ts";

/** The deployment and its state. */
export type Status = {
  /** `changing` while a create or an update runs hooks. */
  phase: "changing" | "settled";
  active: boolean;
  /** The millisecond of its activation; absent if an earlier release activated it. */
  activeSinceMs?: number | undefined;
};

const DEPLOYMENT = "deployment";
const STATUS = "status";
const PREVIOUS = "previous";
// Stored under the name of older releases.
const UNREPORTED = "untold";

/** The current deployment of a source, kept in its storage. */
export class Deployments {
  readonly #kv: SyncKvStorage;
  // Read on every event; storage has the same.
  #current: Deployment | undefined;
  #status: Status;
  #unreported: string | undefined;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    this.#current = kv.get<Deployment>(DEPLOYMENT);
    this.#status = kv.get<Status>(STATUS) ?? { phase: "settled", active: false };
    this.#unreported = kv.get<string>(UNREPORTED);
  }

  current(): Deployment | undefined {
    return this.#current;
  }

  status(): Status {
    return this.#status;
  }

  /** The deployment before a pending update; it is restored if that fails or crashes. */
  previous(): Current | undefined {
    return this.#kv.get<Current>(PREVIOUS);
  }

  /** The deployment that runs when no change is under way, or that ran before the change. */
  settled(): Current | undefined {
    const { phase, active } = this.#status;
    if (phase === "changing") return this.previous();
    return this.#current && { deployment: this.#current, active };
  }

  /** The change with an outcome that is not in the source's row yet; undefined: there is none. */
  unreported(): string | undefined {
    return this.#unreported;
  }

  /** Record that the row has the result of a change. */
  reported(change: string): void {
    if (this.#unreported !== change) return;
    this.#unreported = undefined;
    this.#kv.delete(UNREPORTED);
  }

  /**
   * Begin a change: `deployment` is the current one from now on, and the former one is kept until the change settles.
   */
  begin(deployment: Deployment, active: boolean): void {
    this.#unreported = deployment.change ?? "";
    this.#kv.put(UNREPORTED, this.#unreported);
    if (this.#current)
      this.#kv.put(PREVIOUS, { deployment: this.#current, active: this.#status.active });
    this.#put(deployment, { phase: "changing", active, ...this.#activation() });
  }

  /** Commit a change. */
  settle(): void {
    this.#status = { ...this.#status, phase: "settled" };
    this.#kv.put(STATUS, this.#status);
    this.#kv.delete(PREVIOUS);
  }

  /** Roll back a change. */
  restore({ deployment, active }: Current): void {
    this.#put(deployment, { phase: "changing", active, ...this.#activation() });
  }

  /** Store the deployment of the source's own object, which runs all hooks. */
  adopt({ deployment, active }: Current): void {
    this.#put(deployment, { phase: "settled", active });
  }

  /** Replace the seals of the secrets; false if the deployment was changed meanwhile. */
  reseal(from: Deployment, sealedProps: Record<string, string>): boolean {
    if (this.#current !== from || this.#status.phase === "changing") return false;
    this.#put({ ...from, sealedProps }, this.#status);
    return true;
  }

  /** Clear the cache; the caller erases storage. */
  clear(): void {
    this.#current = undefined;
  }

  /** An update of an active source keeps the time of its activation. */
  #activation(): Pick<Status, "activeSinceMs"> {
    const { active, activeSinceMs } = this.#status;
    return { activeSinceMs: active ? activeSinceMs : Date.now() };
  }

  #put(deployment: Deployment, status: Status): void {
    this.#kv.put(DEPLOYMENT, deployment);
    this.#kv.put(STATUS, status);
    this.#current = deployment;
    this.#status = status;
  }
}
