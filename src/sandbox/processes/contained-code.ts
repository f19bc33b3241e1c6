import { RpcTarget } from "cloudflare:workers";

import { IsolateTimeout } from "#domain/isolate-timeout.ts";

import { CallHost, type Sender } from "../call-host.ts";
import type {
  Evaluation,
  Call,
  DataStores,
  DbWrites,
  Host,
  Outcome,
  PropRequest,
  Sink,
  UserCode,
} from "../user-code.ts";
import { limitsOf } from "../worker-loader.ts";
import type { SandboxProcess, Target } from "./contract.ts";
import type { Processes } from "./processes.ts";
import { isLost, Quarantine } from "./quarantine.ts";

const quarantine = new Quarantine();

/** How long a call may be begun anew, beside what it may take itself. */
const MARGIN_MS = 60_000;

/**
 * Code in a sandbox process. Where the process is lost, each call that was under way runs once more, apart from others,
 * until the one is found that was the cause: only that one fails, with `RanTooLong` or `SandboxDied`, and its code runs
 * apart from then on.
 */
export class ContainedCode implements UserCode {
  readonly #processes: Processes;
  readonly #target: Target;

  constructor(processes: Processes, target: Target) {
    this.#processes = processes;
    this.#target = target;
  }

  describe(onlyIfUnused?: boolean): Promise<Evaluation> {
    return this.#call("", (process) => process.describe(this.#target, onlyIfUnused));
  }

  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host): Promise<Evaluation> {
    const { sourceId } = request.instance;
    return this.#call(sourceId, (process) =>
      process.evaluateProps(this.#target, request, stores, host),
    );
  }

  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    const { sourceId } = call.instance;
    return this.#call(sourceId, (process) => process.invoke(this.#target, call, host, stores));
  }

  async invokeAll(
    calls: Call[],
    inOrder: boolean,
    sink: Sink,
    stores?: DataStores,
  ): Promise<Outcome[]> {
    const startedMs = Date.now();
    const key = this.#keyOf(calls[0]?.instance.sourceId ?? "");
    const group = new Group(calls, inOrder, sink);
    await quarantine.settled(key);
    let lost: number | undefined;
    if (!quarantine.isConfined(key)) {
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
    await this.#oneByOne(group, { key, startedMs, lost, stores });
    return [];
  }

  /** What is left of a group, each call by itself. Rejects in the end where one brought down its process. */
  async #oneByOne(
    group: Group,
    { key, startedMs, lost, stores }: Begun & { stores: DataStores | undefined },
  ): Promise<void> {
    let failure: Error | undefined;
    for (const [index, call] of group.left()) {
      // Whoever waits for the group has given up by then, and will have it run again.
      if (Date.now() - startedMs > call.deadlineMs + MARGIN_MS)
        throw failure ?? new IsolateTimeout();
      try {
        const use = (process: SandboxProcess): Promise<Outcome> =>
          process.invoke(this.#target, call, new CallHost(group.requestsOf(index)), stores);
        await group.done(index, await this.#apart({ key, startedMs, lost }, use));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    if (failure) throw failure;
  }

  async #call<T>(sourceId: string, use: (process: SandboxProcess) => Promise<T>): Promise<T> {
    const startedMs = Date.now();
    const key = this.#keyOf(sourceId);
    await quarantine.settled(key);
    if (quarantine.isConfined(key)) return this.#apart({ key, startedMs, lost: undefined }, use);
    const place = this.#processes.placeOf(this.#target.owner);
    try {
      return await use(this.#processes.at(place));
    } catch (error) {
      if (!isLost(error)) throw error;
      return this.#apart({ key, startedMs, lost: place }, use);
    }
  }

  /** Run a call in quarantine, and where it is released from there, in its own place. */
  async #apart<T>(begun: Begun, use: (process: SandboxProcess) => Promise<T>): Promise<T> {
    let { lost } = begun;
    for (;;) {
      const lane = lost === undefined ? "confined" : "trial";
      const { supervisor } = this.#processes;
      const { owner, plan } = this.#target;
      const suspect = { ...begun, owner, place: lost, cpuMs: limitsOf(plan).cpuMs };
      const room = { lane, process: this.#processes.quarantine(lane), supervisor } as const;
      const trial = await quarantine.run(suspect, room, use);
      if (trial !== "released") return trial.result;
      if (quarantine.isConfined(begun.key)) {
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

  /** What is confined: a source, or all code of an owner that is none yet, for each piece of it may be new. */
  #keyOf(sourceId: string): string {
    return sourceId || this.#target.owner;
  }
}

type Begun = {
  key: string;
  startedMs: number;
  /** The place whose process was lost with the call; undefined: none was. */
  lost: number | undefined;
};

/** As much of a group as an isolate may use. */
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
}

/** Calls of which some are done. */
class Group {
  readonly #calls: readonly Call[];
  readonly #inOrder: boolean;
  readonly #sink: Sink;
  readonly #open: Set<number>;
  readonly #writes: DbWrites = {};

  constructor(calls: readonly Call[], inOrder: boolean, sink: Sink) {
    this.#calls = calls;
    this.#inOrder = inOrder;
    this.#sink = sink;
    this.#open = new Set(calls.keys());
  }

  async done(index: number, outcome: Outcome): Promise<void> {
    if (!this.#open.delete(index)) return;
    Object.assign(this.#writes, outcome.db);
    await this.#sink.done(index, outcome);
  }

  /** What sends the requests of a call to the platform. */
  requestsOf(index: number): Sender {
    return { send: (request) => this.#sink.fetch(index, request) };
  }

  /** The calls that are not done, in their order; where they keep state, with what those before have set. */
  *left(): Generator<[number, Call]> {
    for (const [index, call] of this.#calls.entries())
      if (this.#open.has(index)) yield [index, this.#inOrder ? this.#withWrites(call) : call];
  }

  #withWrites(call: Call): Call {
    const db = new Map(Object.entries(call.instance.db));
    for (const [key, value] of Object.entries(this.#writes))
      if (value === null) db.delete(key);
      else db.set(key, value);
    return { ...call, instance: { ...call.instance, db: Object.fromEntries(db) } };
  }
}
