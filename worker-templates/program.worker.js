// The program of an agent as a component. It can only send requests to the host, which runs actions: it gets no key.

// Its clock stands still at its start, so that a program cannot measure time.
const RuntimeDate = Date;
let begunMs = 0;
globalThis.Date = new Proxy(RuntimeDate, {
  apply: () => new RuntimeDate(begunMs).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [begunMs] : args, made),
  get: (target, name) => (name === "now" ? () => begunMs : Reflect.get(target, name)),
});
RuntimeDate.prototype.constructor = globalThis.Date;
const scope = /** @type {any} */ (globalThis);
const Timeline = Object.getPrototypeOf(performance);
const ENTRIES = ["PerformanceEntry", "PerformanceMark", "PerformanceMeasure"];
for (const clock of [performance, Timeline]) {
  Object.defineProperty(clock, "now", { value: () => 0 });
  Object.defineProperty(clock, "timeOrigin", { get: () => begunMs });
  Object.defineProperty(clock, "toJSON", { value: () => ({ timeOrigin: begunMs }) });
}
for (const { prototype } of ENTRIES.flatMap((name) => scope[name] ?? [])) {
  for (const name of ["startTime", "duration"])
    Object.defineProperty(prototype, name, { get: () => 0 });
  Object.defineProperty(prototype, "toJSON", { value: () => ({ startTime: 0, duration: 0 }) });
}
freezeFiles(scope.File.prototype);
for (const name of ["format", "formatToParts"]) standStill(Intl.DateTimeFormat.prototype, name);
process.hrtime = Object.assign(() => [0, 0], { bigint: () => 0n });
process.uptime = () => 0;
delete scope.Temporal;

/** Make the program's time the newest of a file, which is new unless its maker gave an earlier one. */
function freezeFiles(prototype) {
  const given = Object.getOwnPropertyDescriptor(prototype, "lastModified");
  /** @this {any} */
  const frozen = function lastModified() {
    return Math.min(given?.get?.call(this) ?? begunMs, begunMs);
  };
  Object.defineProperty(prototype, "lastModified", { get: frozen });
}

/** Make the program's time the default argument of a formatter's method. */
function standStill(prototype, name) {
  const method = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  const formatOf = (formatter) => method.get?.call(formatter) ?? method.value.bind(formatter);
  const frozen = (formatter) => (date) => formatOf(formatter)(date ?? begunMs);
  /** @this {any} */
  const value = function value(date) {
    return frozen(this)(date);
  };
  /** @this {any} */
  const get = function get() {
    return frozen(this);
  };
  Object.defineProperty(prototype, name, method.get ? { get } : { value });
}

const HOST = "https://actions.invalid/";

/** Request an action from the host, by its key, or by its app and the name of its function. */
async function callHost(call) {
  const response = await fetch(HOST, { method: "POST", body: JSON.stringify(call) });
  const answer = await response.json();
  if (answer.skipped !== undefined) return placeholder(answer.skipped);
  if (answer.ok) return answer.value;
  throw Object.assign(new Error(answer.error), { code: answer.code });
}

/**
 * Replaces an action's return value in a dry run: it has any member, is an empty list, and describes itself as text.
 */
function placeholder(text) {
  const described = `<result of ${text}>`;
  return new Proxy(() => {}, {
    get(_, name) {
      if (name === "then") return undefined;
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      if (name === Symbol.toPrimitive || name === "toJSON" || name === "toString")
        return () => described;
      return placeholder(typeof name === "string" ? `${text}.${name}` : text);
    },
    apply: () => placeholder(`${text}()`),
  });
}

const functionsOf = (app) =>
  new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === "string" ? (args = {}) => callHost({ app, name, args }) : undefined,
  });

const apps = new Proxy(Object.create(null), {
  get: (_, app) => (typeof app === "string" ? functionsOf(app) : undefined),
});

const run = (action, args = {}) => callHost({ action, args });

export default {
  name: "Program",
  version: "1.0.0",
  type: "action",
  props: {},
  run() {
    begunMs = RuntimeDate.now();
    return program(apps, run);
  },
};
