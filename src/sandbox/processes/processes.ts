import { Confinement } from "#domain/confinement.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { SandboxFigures } from "#telemetry/sandbox-metrics.ts";

import {
  LANES,
  type Lane,
  type LossReason,
  type SandboxProcess,
  type Supervisor,
} from "./contract.ts";
import { placeOf } from "./place.ts";
import { Quarantine } from "./quarantine.ts";
import { routes } from "./routes.ts";
import { Tenants } from "./tenants.ts";

/** The platform's access to its sandbox processes. */
export type Processes = {
  /** The number of places, among which owners are distributed. */
  count: number;
  /** The place of an owner's code. */
  placeOf(owner: OwnerId): number;
  /** Resolves to the owner, or to the project of an external user: their code is confined together. */
  tenantOf(owner: OwnerId): Promise<string>;
  /** The process that serves a place now. */
  at(place: number): SandboxProcess;
  /** The process of a lane of quarantine. */
  apart(lane: Lane): SandboxProcess;
  supervisor: Supervisor;
} & Apart;

/** The calls and the code that run in isolation: one for all objects. */
type Apart = { quarantine: Quarantine; confinement: Confinement };

let known: Apart | undefined;

const tenants = new Tenants();

/** The sandbox processes of this runtime; undefined: code runs in the platform's own process. */
export function processesOf(
  env: Pick<Env, "SANDBOXES" | "SUPERVISOR" | "CONFINED" | "OWNERS">,
): Processes | undefined {
  const count = Number(env.SANDBOXES || "0");
  const { SUPERVISOR } = env;
  if (count === 0 || !SUPERVISOR) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the supervisor sets the bindings with these names.
  const bound = (name: string) => Reflect.get(env, name) as SandboxProcess;
  const request = async (path: string): Promise<Response> => {
    const response = await SUPERVISOR.fetch(`http://supervisor/${path}`);
    if (!response.ok) throw new Error(`The supervisor responded with ${response.status}`);
    return response;
  };
  const order = async (path: string): Promise<void> => void (await request(path));
  const query = async <T>(path: string): Promise<T | null> => (await request(path)).json();
  const supervisor: Supervisor = {
    start: async (lane) => (await request(`start/${lane}`)).json(),
    kill: (lane, process) => order(`kill/${lane}/${process}`),
    cpuTime: async (lane, process) =>
      (await query<number | "ended">(`cpu/${lane}/${process}`)) ?? undefined,
    lossOf: async (lane, process) =>
      (await query<LossReason>(`loss/${lane}/${process}`)) ?? undefined,
    confine: (key) => order(`confine/${encodeURIComponent(key)}`),
    figures: async () => (await request("figures")).json(),
  };
  known ??= apartBy(supervisor, env.CONFINED);
  return {
    count,
    placeOf: (owner) => placeOf(owner, count),
    tenantOf: (owner) => tenants.of(owner, (user) => env.OWNERS.getByName(user).projectOf(user)),
    at: (place) => bound(`SANDBOX_${place}_${routes.sideOf(place)}`),
    apart: (lane) => bound(`QUARANTINE_${lane}`),
    supervisor,
    ...known,
  };
}

function apartBy(supervisor: Supervisor, confined = "{}"): Apart {
  const confinement = new Confinement(JSON.parse(confined));
  const quarantine = new Quarantine({
    confine: (key) => {
      confinement.confine(key, Date.now());
      // If this fails, it is still confined until a restart.
      supervisor.confine(key).catch(() => {});
    },
    isConfined: (key) => confinement.isConfined(key, Date.now()),
  });
  return { quarantine, confinement };
}

/** Reads the state of the sandbox processes; undefined: there are none. */
export function figuresReader(
  env: Parameters<typeof processesOf>[0],
): (() => Promise<SandboxFigures>) | undefined {
  const processes = processesOf(env);
  return processes && (() => figuresOf(processes));
}

async function figuresOf(processes: Processes): Promise<SandboxFigures> {
  const { supervisor, quarantine, confinement } = processes;
  return {
    ...(await supervisor.figures()),
    quarantined: Object.fromEntries(LANES.map((lane) => [lane, quarantine.load(lane)])),
    confined: Object.keys(confinement.entries(Date.now())).length,
  };
}
