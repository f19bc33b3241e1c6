import { firstRunMs, nextRunMs, type Schedule, type Tick } from "#domain/schedule.ts";

/** The next due time of each timer, epoch milliseconds, and its schedule. */
type Due = Record<string, { dueMs: number; schedule: Schedule }>;

const KEY = "timers";

/** The timers of an object, by name, on its one alarm. */
export class Timers {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Start these timers and no others. One whose schedule has not changed keeps its phase. */
  start(schedules: readonly [string, Schedule][], nowMs: number): void {
    const running = new Map(Object.entries(this.#due()));
    const due = schedules.flatMap(([prop, schedule]) => {
      const old = running.get(prop);
      const kept = old && JSON.stringify(old.schedule) === JSON.stringify(schedule);
      const dueMs = kept ? old.dueMs : firstRunMs(schedule, nowMs);
      return dueMs === undefined ? [] : [[prop, { dueMs, schedule }] as const];
    });
    this.#kv.put(KEY, Object.fromEntries(due));
  }

  stop(): void {
    this.#kv.delete(KEY);
  }

  nextDueMs(): number | undefined {
    const times = Object.values(this.#due()).map(({ dueMs }) => dueMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** All running timers, with their next ticks. */
  all(): Tick[] {
    return Object.entries(this.#due()).map(([prop, timer]) => ({ prop, ...timer }));
  }

  /** The due ticks, in no order. */
  due(nowMs: number): Tick[] {
    return this.all().filter(({ dueMs }) => dueMs <= nowMs);
  }

  /** Set the timer of a tick to its next time, unless that was done, or the timer was changed or stopped meanwhile. */
  advance({ prop, dueMs }: Pick<Tick, "prop" | "dueMs">, nowMs: number): void {
    const timers = new Map(Object.entries(this.#due()));
    const timer = timers.get(prop);
    if (timer?.dueMs !== dueMs) return;
    const next = nextRunMs(timer.schedule, dueMs, nowMs);
    if (next === undefined) timers.delete(prop);
    else timers.set(prop, { dueMs: next, schedule: timer.schedule });
    this.#kv.put(KEY, Object.fromEntries(timers));
  }

  /** Take the due ticks, and set each of their timers to its next time. */
  take(nowMs: number): Tick[] {
    const timers = new Map(Object.entries(this.#due()));
    const ticks = [...timers]
      .filter(([, { dueMs }]) => dueMs <= nowMs)
      .map(([prop, timer]) => ({ prop, ...timer }));
    if (ticks.length === 0) return ticks;
    for (const { prop, dueMs, schedule } of ticks) {
      const next = nextRunMs(schedule, dueMs, nowMs);
      if (next === undefined) timers.delete(prop);
      else timers.set(prop, { dueMs: next, schedule });
    }
    this.#kv.put(KEY, Object.fromEntries(timers));
    return ticks;
  }

  #due(): Due {
    return this.#kv.get<Due>(KEY) ?? {};
  }
}
