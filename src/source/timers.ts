import { TIMER_INTERFACE } from "../domain/definition.ts";
import { firstRunMs, nextRunMs, type Schedule, scheduleOf } from "../domain/schedule.ts";
import type { Deployment } from "./contract.ts";

/** When each timer prop is due next, epoch milliseconds, and the schedule that says so. */
type Due = Record<string, { dueMs: number; schedule: Schedule }>;

export type Tick = { prop: string; dueMs: number; schedule: Schedule };

const KEY = "timers";

/** The timers of a source, on its one alarm. */
export class Timers {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Start the timers of a deployment. One whose schedule has not changed keeps its phase. */
  start(deployment: Deployment, nowMs: number): void {
    const running = this.#due();
    const due: Due = {};
    for (const [prop, schedule] of schedulesOf(deployment)) {
      const old = running[prop];
      const kept = old && JSON.stringify(old.schedule) === JSON.stringify(schedule);
      const dueMs = kept ? old.dueMs : firstRunMs(schedule, nowMs);
      if (dueMs !== undefined) due[prop] = { dueMs, schedule };
    }
    this.#kv.put(KEY, due);
  }

  stop(): void {
    this.#kv.delete(KEY);
  }

  nextDueMs(): number | undefined {
    const times = Object.values(this.#due()).map(({ dueMs }) => dueMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Take the ticks that are due, and set each of their timers to its next time. */
  take(nowMs: number): Tick[] {
    const timers = this.#due();
    const ticks = Object.entries(timers)
      .filter(([, { dueMs }]) => dueMs <= nowMs)
      .map(([prop, timer]) => ({ prop, ...timer }));
    if (ticks.length === 0) return ticks;
    for (const { prop, dueMs, schedule } of ticks) {
      const next = nextRunMs(schedule, dueMs, nowMs);
      if (next === undefined) delete timers[prop];
      else timers[prop] = { dueMs: next, schedule };
    }
    this.#kv.put(KEY, timers);
    return ticks;
  }

  #due(): Due {
    return this.#kv.get<Due>(KEY) ?? {};
  }
}

function schedulesOf({ props, configuredProps }: Deployment): [string, Schedule][] {
  return props.flatMap(({ name, type }): [string, Schedule][] => {
    const schedule = type === TIMER_INTERFACE ? scheduleOf(configuredProps[name]) : undefined;
    return schedule ? [[name, schedule]] : [];
  });
}
