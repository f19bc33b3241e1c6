import { firstRunMs, nextRunMs, type Schedule } from "../domain/schedule.ts";

/** When each timer is due next, epoch milliseconds, and the schedule that says so. */
type Due = Record<string, { dueMs: number; schedule: Schedule }>;

export type Tick = { prop: string; dueMs: number; schedule: Schedule };

const KEY = "timers";

/** The timers of an object, by name, on its one alarm. */
export class Timers {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Start these timers and no others. One whose schedule has not changed keeps its phase. */
  start(schedules: readonly [string, Schedule][], nowMs: number): void {
    const running = this.#due();
    const due: Due = {};
    for (const [prop, schedule] of schedules) {
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
