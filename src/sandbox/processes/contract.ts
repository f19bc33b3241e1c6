import type { OwnerId } from "#domain/ids.ts";
import type { ProcessFigures } from "#telemetry/sandbox-metrics.ts";

import type {
  Evaluation,
  Bundle,
  Call,
  DataStores,
  Host,
  Outcome,
  PropRequest,
  Sink,
} from "../user-code.ts";
import type { Plan } from "../worker-loader.ts";

/** A bundle that is not in the code store yet; its packages are, by their hash. */
export type UnstoredBundle = Pick<Bundle, "code" | "mayConnect" | "ownFiles"> & {
  packages: string;
};

/** The code that a sandbox process runs, and its owner. */
export type Target = {
  owner: OwnerId;
  bundleHash: string;
  plan?: Plan | undefined;
  expressions?: { hash: string; code: string } | undefined;
  /** Absent: the bundle is in the code store. */
  unstored?: UnstoredBundle;
  /** Whether it runs in an isolate that nobody else uses, and that ends with the call. */
  isAlone?: boolean;
  /** Whether it has no network access. */
  isOffline?: boolean | undefined;
};

/** The RPC methods of a sandbox process: those of `UserCode`, with the code as an argument. */
export type SandboxProcess = {
  describe(target: Target, onlyIfUnused?: boolean): Promise<Evaluation>;
  evaluateProps(
    target: Target,
    request: PropRequest,
    stores?: DataStores,
    host?: Host,
  ): Promise<Evaluation>;
  invoke(target: Target, call: Call, host?: Host, stores?: DataStores): Promise<Outcome>;
  invokeAll(
    target: Target,
    calls: Call[],
    inOrder: boolean,
    sink: Sink,
    stores?: DataStores,
  ): Promise<Outcome[]>;
  /** Resolves while code yields: an endless loop blocks the whole process. */
  ping(): Promise<void>;
  /** Load code into an isolate and call it. Throws if that fails. */
  probe(): Promise<void>;
};

/** The supervisor of sandbox processes, outside of the runtime. */
export type Supervisor = {
  /** Ensure that the quarantine process of a lane runs. Returns its number, which is higher than those of all before. */
  start(lane: Lane): Promise<number>;
  /** Kill the process of this number. */
  kill(lane: Lane, process: number): Promise<void>;
  /** The CPU time of a process so far, in milliseconds; undefined: unknown; `ended`: it does not run any more. */
  cpuTime(lane: Lane, process: number): Promise<number | "ended" | undefined>;
  /** The reason for the end of a process, once it has ended; undefined: it runs, or the reason is unknown. */
  lossOf(lane: Lane, process: number): Promise<LossReason | undefined>;
  /** Keep code confined after a restart, by its key. */
  confine(key: string): Promise<void>;
  /** The state of all processes. */
  figures(): Promise<ProcessFigures>;
};

/**
 * The reason for the unexpected end of a process. `silent`: killed because it did not respond; `memory`: because it
 * exceeded its limit; `blocked`: the platform killed it because of the code in it; `killed`: by a signal from outside;
 * `died`: by itself.
 */
export type LossReason = "silent" | "memory" | "blocked" | "killed" | "died";

/** `trial`: for runs in progress when a process was lost. `confined`: for code that blocked a process before. */
export const LANES = ["trial", "confined"] as const;
export type Lane = (typeof LANES)[number];

/** The report of a sandbox process to its supervisor: calls in progress, and loaded isolates. */
export type SandboxStatus = { calls: number; isolates: number };
