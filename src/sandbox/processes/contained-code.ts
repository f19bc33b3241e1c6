import { RpcTarget } from "cloudflare:workers";

import { codeKey } from "#domain/confinement.ts";
import { IsolateTimeout } from "#domain/isolate-timeout.ts";

import { CallHost, type Sender } from "../call-host.ts";
import type {
  Evaluation,
  Call,
  DataStores,
  Host,
  Outcome,
  PropRequest,
  Sink,
  UserCode,
} from "../user-code.ts";
import { GRACE_MS } from "../watchdog.ts";
import { limitsOf } from "../worker-loader.ts";
import type { SandboxProcess, Target } from "./contract.ts";
import { isLost } from "./loss.ts";
import type { Processes } from "./processes.ts";

/** Maximum time to wait for the definition of code. */
const DESCRIBE_MS = 60_000;

/**
 * Code in a sandbox process. If the process is lost, each call in progress runs once more, in isolation, until the
 * cause is found: only that call fails, with `RanTooLong` or `SandboxDied`, and its code runs in isolation from then
 * on.
 */
export class ContainedCode implements UserCode {
  readonly #processes: Processes;
  readonly #target: Target;

  constructor(processes: Processes, target: Target) {
    this.#processes = processes;
    this.#target = target;
  }

  describe(onlyIfUnused?: boolean): Promise<Evaluation> {
    const terms = { sourceId: "", deadlineMs: DESCRIBE_MS };
    return this.#call(terms, (process) => process.describe(this.#target, onlyIfUnused));
  }

  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host): Promise<Evaluation> {
    const terms = { sourceId: request.instance.sourceId, deadlineMs: request.deadlineMs };
    return this.#call(terms, (process) =>
      process.evaluateProps(this.#target, request, stores, host),
    );
  }

  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    const terms = { sourceId: call.instance.sourceId, deadlineMs: call.deadlineMs };
    return this.#call(terms, (process) => process.invoke(this.#target, call, host, stores));
  }

  async invokeAll(
    calls: Call[],
    inOrder: boolean,
    sink: Sink,
    stores?: DataStores,
  ): Promise<Outcome[]> {
    const group = new Group(calls, inOrder, sink);
    const begun = await this.#begin(termsOf(calls, inOrder));
    let lost: number | undefined;
    if (!this.#isConfined(begun)) {
      const place = this.#processes.placeOf(this.#target.owner);
      try {
        const process = this.#processes.at(place);
        const handover = new Handover(group);
        return await process.invokeAll(this.#target, calls, inOrder, handover, stores);
      } catch (error) {
        if (!isLost(error)) throw error;
        lost = place;
      }
    }
    await this.#oneByOne(group, { ...begun, lost }, stores);
    return [];
  }

  /** Run the rest of a group, each call by itself. Rejects in the end if one crashed its process. */
  async #oneByOne(group: Group, begun: Begun, stores: DataStores | undefined): Promise<void> {
    let failure: Error | undefined;
    for (const [index, call] of group.left()) {
      // The caller of the group has timed out by then, and will retry it.
      if (Date.now() > begun.expiresMs) throw failure ?? new IsolateTimeout();
      try {
        const use = (process: SandboxProcess): Promise<Outcome> =>
          process.invoke(this.#target, call, new CallHost(group.requestsOf(index)), stores);
        await group.done(index, await this.#apart(begun, use));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    if (failure) throw failure;
  }

  async #call<T>(terms: CallTerms, use: (process: SandboxProcess) => Promise<T>): Promise<T> {
    const begun = await this.#begin(terms);
    if (this.#isConfined(begun)) return this.#apart(begun, use);
    const place = this.#processes.placeOf(this.#target.owner);
    try {
      return await use(this.#processes.at(place));
    } catch (error) {
      if (!isLost(error)) throw error;
      return this.#apart({ ...begun, lost: place }, use);
    }
  }

  /** Begin a call, once no call of the same code is on trial. */
  async #begin({ sourceId, deadlineMs }: CallTerms): Promise<Begun> {
    const startedMs = Date.now();
    const expiresMs = startedMs + deadlineMs + GRACE_MS;
    const { owner, bundleHash } = this.#target;
    const tenant = await this.#processes.tenantOf(owner);
    const key = codeKey(tenant, sourceId || bundleHash);
    await this.#processes.quarantine.settled(key, expiresMs);
    return { key, startedMs, expiresMs, lost: undefined };
  }

  #isConfined({ key }: Begun): boolean {
    return this.#processes.confinement.isConfined(key, Date.now());
  }

  /** Run a call in quarantine and, if it is released, in its own place. */
  async #apart<T>(begun: Begun, use: (process: SandboxProcess) => Promise<T>): Promise<T> {
    let { lost } = begun;
    for (;;) {
      const lane = lost === undefined ? "confined" : "trial";
      const { supervisor, quarantine } = this.#processes;
      const { owner, plan } = this.#target;
      const suspect = { ...begun, owner, place: lost, cpuMs: limitsOf(plan).cpuMs };
      const room = { lane, process: this.#processes.apart(lane), supervisor } as const;
      const trial = await quarantine.run(suspect, room, use);
      if (trial !== "released") return trial.result;
      if (this.#isConfined(begun)) {
        lost = undefined;
        continue;
      }
      lost = this.#processes.placeOf(owner);
      try {
        return await use(this.#processes.at(lost));
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
  }
}

/** A call: its source, if there is one, and its maximum time. */
type CallTerms = { sourceId: string; deadlineMs: number };

function termsOf(calls: readonly Call[], inOrder: boolean): CallTerms {
  const [first] = calls;
  const deadlineMs = first?.deadlineMs ?? 0;
  return {
    sourceId: first?.instance.sourceId ?? "",
    deadlineMs: inOrder ? deadlineMs * calls.length : deadlineMs,
  };
}

type Begun = {
  /** The code to confine if the call caused a loss. */
  key: string;
  startedMs: number;
  /** The time from which nobody waits for the call. */
  expiresMs: number;
  /** The place of the process that was lost with the call; undefined: none was. */
  lost: number | undefined;
};

/** The interface of a group for an isolate. */
class Handover extends RpcTarget implements Sink {
  readonly #group: Group;

  constructor(group: Group) {
    super();
    this.#group = group;
  }

  done(index: number, outcome: Outcome): Promise<void> {
    return this.#group.done(index, outcome);
  }

  fetch(index: number, request: Request): Promise<Response> {
    return this.#group.requestsOf(index).send(request);
  }

  renewToken(index: number, refused: string): Promise<string | null> {
    return this.#group.requestsOf(index).renewToken(refused);
  }
}

/** Partially completed calls. */
class Group {
  readonly #calls: readonly Call[];
  readonly #inOrder: boolean;
  readonly #sink: Sink;
  readonly #open: Set<number>;
  readonly #writes = new Map<string, string | null>();

  constructor(calls: readonly Call[], inOrder: boolean, sink: Sink) {
    this.#calls = calls;
    this.#inOrder = inOrder;
    this.#sink = sink;
    this.#open = new Set(calls.keys());
  }

  async done(index: number, outcome: Outcome): Promise<void> {
    if (!this.#open.delete(index)) return;
    // Only ordered calls depend on each other; an isolate is not trusted to return a whole outcome.
    const writes = this.#inOrder ? Object.entries(outcome?.db ?? {}) : [];
    for (const [key, value] of writes) this.#writes.set(key, value);
    await this.#sink.done(index, outcome);
  }

  /** Sends the requests of a call to the platform. */
  requestsOf(index: number): Sender {
    return {
      send: (request) => this.#sink.fetch(index, request),
      renewToken: (refused) => this.#sink.renewToken(index, refused),
    };
  }

  /** The remaining calls, in order; if they keep state, with the writes of earlier ones. */
  *left(): Generator<[number, Call]> {
    for (const [index, call] of this.#calls.entries())
      if (this.#open.has(index)) yield [index, this.#inOrder ? this.#withWrites(call) : call];
  }

  #withWrites(call: Call): Call {
    const db = new Map(Object.entries(call.instance.db));
    for (const [key, value] of this.#writes)
      if (value === null) db.delete(key);
      else db.set(key, value);
    return { ...call, instance: { ...call.instance, db: Object.fromEntries(db) } };
  }
}
