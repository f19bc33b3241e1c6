// The clock of a component under test: it stands at the time of the test, and fired timers advance it. Evaluated before
// any code saves the runtime's own.
import startMs from "./now.js";

if (startMs !== undefined) standAt(startMs);

function standAt(ms) {
  let nowMs = ms;
  const RuntimeDate = globalThis.Date;
  const now = () => nowMs;
  const TestDate = new Proxy(RuntimeDate, {
    apply: () => new RuntimeDate(nowMs).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [nowMs] : args, newTarget),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  RuntimeDate.prototype.constructor = TestDate;
  globalThis.Date = TestDate;
  for (const name of ["setTimeout", "setInterval"]) {
    const start = globalThis[name];
    const startMoving = (callback, delayMs = 0, ...args) => {
      if (typeof callback !== "function") return start(callback, delayMs, ...args);
      let dueMs = nowMs + delayMs;
      const fire = (...given) => {
        nowMs = Math.max(nowMs, dueMs);
        dueMs += delayMs;
        return callback(...given);
      };
      return start(fire, delayMs, ...args);
    };
    // `promisify(setTimeout)` uses a property of it.
    globalThis[name] = Object.defineProperties(
      startMoving,
      Object.getOwnPropertyDescriptors(start),
    );
  }
}
