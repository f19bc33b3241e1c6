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
export type UnstoredBundle = Pick<Bundle, "code" | "mayConnect"> & { packages: string };

/** Which code a sandbox process is to run, and for whom. */
export type Target = {
  owner: OwnerId;
  bundleHash: string;
  plan?: Plan | undefined;
  expressions?: { hash: string; code: string } | undefined;
  /** Absent: the bundle is in the code store. */
  unstored?: UnstoredBundle;
  /** Whether it runs in an isolate that nobody else uses, and that ends with the call. */
  isAlone?: boolean;
  /** Whether it has no way to the network at all. */
  isOffline?: boolean | undefined;
};

/** The RPC methods of a sandbox process: those of `UserCode`, for the code that each call names. */
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
  /** Resolves while code yields: one that loops holds up the whole process. */
  ping(): Promise<void>;
  /** Load code into an isolate and call it. Throws where that does not work. */
  probe(): Promise<void>;
};

/** The supervisor of sandbox processes, outside of the runtime. */
export type Supervisor = {
  /** Have the quarantine process of a lane running. */
  start(lane: Lane): Promise<void>;
  /** Kill it. */
  kill(lane: Lane): Promise<void>;
  /** Have code confined also after a restart, by its key. */
  confine(key: string): Promise<void>;
  /** The state of all processes. */
  figures(): Promise<ProcessFigures>;
};

/** `trial`: for runs that were under way where a process was lost. `confined`: for code that held up a process before. */
export const LANES = ["trial", "confined"] as const;
export type Lane = (typeof LANES)[number];

/** The report of a sandbox process to its supervisor: calls in progress, and loaded isolates. */
export type SandboxStatus = { calls: number; isolates: number };
