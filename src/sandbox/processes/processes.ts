import type { OwnerId } from "#domain/ids.ts";

import type { Lane, SandboxProcess, Supervisor } from "./contract.ts";
import { routes } from "./routes.ts";

/** The sandbox processes beside the platform's, as it reaches them. */
export type Processes = {
  /** How many places there are that owners are spread over. */
  count: number;
  /** The place of an owner's code. */
  placeOf(owner: OwnerId): number;
  /** The process that serves a place now. */
  at(place: number): SandboxProcess;
  quarantine(lane: Lane): SandboxProcess;
  supervisor: Supervisor;
};

/** The sandbox processes that this runtime has; undefined: code runs in the platform's own process. */
export function processesOf(env: Pick<Env, "SANDBOXES" | "SUPERVISOR">): Processes | undefined {
  const count = Number(env.SANDBOXES || "0");
  const { SUPERVISOR } = env;
  if (count === 0 || !SUPERVISOR) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the supervisor binds what is named like this.
  const bound = (name: string) => Reflect.get(env, name) as SandboxProcess;
  const tell = async (verb: string, lane: Lane): Promise<void> => {
    const response = await SUPERVISOR.fetch(`http://supervisor/${verb}/${lane}`);
    if (!response.ok) throw new Error(`The supervisor answered ${response.status}`);
  };
  return {
    count,
    placeOf: (owner) => placeOf(owner, count),
    at: (place) => bound(`SANDBOX_${place}_${routes.sideOf(place)}`),
    quarantine: (lane) => bound(`QUARANTINE_${lane}`),
    supervisor: { start: (lane) => tell("start", lane), kill: (lane) => tell("kill", lane) },
  };
}

/** The place of an owner's code, of so many. */
export function placeOf(owner: OwnerId, count: number): number {
  return hashOf(owner) % count;
}

/** FNV-1a: spreads similar ids, and is the same in every run. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
