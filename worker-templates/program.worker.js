// The program of an agent as a component. Its only way out is a request to the host, which runs actions: no key comes in here.

// Its clock stands still at the time when it began: what it computes takes no time that it could see.
const RuntimeDate = Date;
let begunMs = 0;
globalThis.Date = new Proxy(RuntimeDate, {
  apply: () => new RuntimeDate(begunMs).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [begunMs] : args, made),
  get: (target, name) => (name === "now" ? () => begunMs : Reflect.get(target, name)),
});
RuntimeDate.prototype.constructor = globalThis.Date;
Object.defineProperty(performance, "now", { value: () => 0 });
Object.defineProperty(performance, "timeOrigin", { get: () => begunMs });
for (const name of ["format", "formatToParts"]) standStill(Intl.DateTimeFormat.prototype, name);
process.hrtime = Object.assign(() => [0, 0], { bigint: () => 0n });
process.uptime = () => 0;
delete (/** @type {any} */ (globalThis).Temporal);

/** Let a method of a formatter take the time of the program where it is given none. */
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

/** Ask the host for an action, by its key, or by its app and the name of its function. */
async function callHost(call) {
  const response = await fetch(HOST, { method: "POST", body: JSON.stringify(call) });
  const answer = await response.json();
  if (answer.skipped !== undefined) return placeholder(answer.skipped);
  if (answer.ok) return answer.value;
  throw Object.assign(new Error(answer.error), { code: answer.code });
}

/** Stands for what an action would return while none runs: any part of it, an empty list, a text that says what it is. */
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
