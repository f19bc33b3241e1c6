// Runs a component as a step of a workflow: computes its props, and provides `$` and the exports of earlier steps.
import { withoutWorkflow } from "./alone.worker.js";
import { chargeCall, noteLost, untilSettled, wireBytes } from "./call.worker.js";
import { jsonOf } from "./json.worker.js";
import { setOwn } from "./props.worker.js";
import { respondOnce } from "./respond.worker.js";
import { runFolder } from "./run-folder.worker.js";
import { SIDE_EFFECTS } from "./side-effects.worker.js";
import { stashOf, unpack } from "./stash.worker.js";

const DAY_MS = 24 * 3600 * 1000;
const MAX_PAUSE_MS = 365 * DAY_MS;
const DEFAULT_RERUN_MS = 10_000;
const DEFAULT_RERUNS = 10;
const MAX_SIDE_EFFECTS = 100;
const MAX_EMIT_BYTES = 1024 * 1024;
const MAX_EXIT_LENGTH = 4096;
/** Maximum characters of the reported computed props, and of each truncated one. */
const MAX_INPUT_LENGTH = 65_536;
const SHORT_LENGTH = 64;

// Code for workflows wraps its component in this; it returns it unchanged.
globalThis.defineComponent ??= (component) => component;

/**
 * Read the input of a step, and compute its props.
 * @param {import("./call.worker.js").CallContext} context
 */
export async function prepareStep(context) {
  const { call } = context;
  const { step: task } = call;
  context.step = { exports: "{}", sideEffects: [] };
  context.steps = JSON.parse(task.steps);
  if (task.isComputed) call.instance.props = await computedProps(context);
  if (task.files) unpack(runFolder(), task.files);
}

/**
 * Run one step. Its exports, messages and flow requests until it ended or threw are in `context.step`.
 * @param {import("./props.worker.js").Component} component
 * @param {import("./call.worker.js").CallContext} context
 * @param {Record<string, any>} self
 */
export async function runStep(component, context, self) {
  const exported = new Exports(context.call.step.room);
  try {
    const { steps } = context;
    const returned = await component.run.call(self, { $: buildDollar(context, exported), steps });
    if (returned !== undefined) exported.put("$return_value", returned);
  } finally {
    context.step.exports = exported.text();
  }
  if (context.call.step.files) context.step.files = stashOf(context, runFolder());
}

/**
 * JSON text of a step's props with the results of expressions, which are reported. An error names its step and prop.
 */
async function computedProps(context) {
  const { call, steps } = context;
  const { instance, step } = call;
  const { default: computed } = await import("./expressions.js");
  const props = JSON.parse(instance.props);
  for (const [name, compute] of Object.entries(computed)) {
    try {
      setOwn(props, name, compute(steps));
    } catch (error) {
      throw new ExpressionError(step.name, name, error);
    }
  }
  const text = jsonOf(props, `Step "${step.name}"`);
  context.step.input = inputOf(Object.keys(computed), props);
  return text;
}

/** The computed props for the history of runs: within the maximum size, long values truncated. */
function inputOf(names, props) {
  const fields = [];
  let room = MAX_INPUT_LENGTH;
  let isCut = false;
  for (const name of names) {
    const whole = JSON.stringify(props[name]);
    if (whole === undefined) continue;
    const fits = whole.length + name.length <= room;
    isCut ||= !fits;
    const text = fits ? whole : shortened(props[name]);
    if (text === undefined || text.length + name.length > room) continue;
    room -= text.length + name.length;
    fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return { values: `{${fields.join(",")}}`, isCut };
}

/** JSON text of a shorter value of the same type; undefined if there is none. */
function shortened(value) {
  if (typeof value !== "string") return undefined;
  return JSON.stringify(`${value.slice(0, SHORT_LENGTH).toWellFormed()}…`);
}

class ExpressionError extends Error {
  name = "ExpressionError";
  constructor(step, prop, cause) {
    super(`Step "${step}", prop "${prop}": ${cause?.message ?? cause}`, { cause });
  }
}

/** The exports of a step, as JSON text by name, within the remaining size. */
class Exports {
  #room;
  #texts = new Map();
  #bytes = 2;

  constructor(room) {
    this.#room = room;
  }

  put(name, value) {
    const what = name === "$return_value" ? "The return value" : `$.export("${name}")`;
    const text = jsonOf(value, what) ?? "null";
    const old = this.#texts.get(name);
    const bytes = sizeOf(name, text) - (old === undefined ? 0 : sizeOf(name, old));
    this.take(what, bytes);
    this.#texts.set(name, text);
  }

  /** Reserve bytes of the remaining size. Throws beyond it. */
  take(what, bytes) {
    if (this.#bytes + bytes > this.#room)
      throw new RangeError(
        `${what}: exports and messages of this step would have ${this.#bytes + bytes} bytes of JSON; ${this.#room} are allowed`,
      );
    this.#bytes += bytes;
  }

  text() {
    const fields = [...this.#texts].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    return `{${fields.join(",")}}`;
  }
}

function sizeOf(name, text) {
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(text) + 2;
}

/** The `$` of an action (docs/contract.md: Actions). */
function buildDollar(context, exported) {
  const { step: task } = context.call;
  const dollar = {
    export: (name, value) => exported.put(String(name), value),
    respond: (given) => respondInStep(context, given) ?? Promise.resolve(),
    flow: buildFlow(context, task),
    send: {
      ...absentSideEffects(),
      ...Object.fromEntries(
        Object.entries(SIDE_EFFECTS).map(([kind, prepare]) => [
          kind,
          async (...args) => keepSideEffect({ context, exported }, kind, prepare(context, args)),
        ]),
      ),
    },
    files: ABSENT_FILES,
    context: JSON.parse(task.context),
  };
  return task.isAlone ? withoutWorkflow(dollar) : dollar;
}

/** The HTTP caller gets the first response: at once, or when the run ends or pauses. */
function respondInStep(context, given) {
  const send = (response) =>
    given?.immediate === true ? untilSettled(context, context.host.respond(response)) : undefined;
  return respondOnce(context, given, { what: "$.respond", send });
}

function buildFlow(context, { resumeUrl, cancelUrl }) {
  const urls = { resume_url: resumeUrl, cancel_url: cancelUrl };
  const pause = (kind, ms, more = {}) => {
    context.step.pause = { kind, ms: checkedPause(kind, ms), ...more };
    return urls;
  };
  return {
    exit: (reason) => {
      context.step.exit = reason === undefined ? "" : String(reason).slice(0, MAX_EXIT_LENGTH);
    },
    delay: (ms) => pause("delay", ms),
    suspend: (ms = DAY_MS) => pause("suspend", ms),
    rerun: (ms = DEFAULT_RERUN_MS, state = null, maxRetries = DEFAULT_RERUNS) => {
      const { runs } = JSON.parse(context.call.step.context).run;
      if (runs > maxRetries) return urls;
      const text = jsonOf(state, "$.flow.rerun") ?? "null";
      if (Buffer.byteLength(text) > MAX_EMIT_BYTES)
        throw new RangeError("$.flow.rerun: the context may have at most 1 MB of JSON");
      return pause("rerun", ms, { context: text });
    },
    // Components request more time as a precaution: the deadline of a run is long and fixed.
    refreshTimeout: () => {},
    trigger: (workflowId, payload) => trigger(context, String(workflowId), payload),
  };
}

function checkedPause(kind, given) {
  const ms = Math.ceil(Number(given));
  if (!Number.isFinite(ms) || ms < 0 || ms > MAX_PAUSE_MS)
    throw new RangeError(
      `$.flow.${kind}: milliseconds must be from 0 to ${MAX_PAUSE_MS}, got ${given}`,
    );
  return Math.max(1, ms);
}

async function trigger(context, workflowId, payload) {
  const event = jsonOf(payload, "$.flow.trigger") ?? "null";
  const triggered = await untilSettled(context, context.host.trigger(workflowId, event));
  if (!triggered.ok) throw new Error(`$.flow.trigger: ${triggered.message}`);
  return { workflowId };
}

/** Unsupported methods, with the alternative to each. */
const ABSENT_SIDE_EFFECTS = {
  sms: "the client of a provider of text messages",
  sql: "a client of the database, such as pg or mysql2",
  snowflake: "the SQL API of Snowflake",
};

function absentSideEffects() {
  return Object.fromEntries(
    Object.entries(ABSENT_SIDE_EFFECTS).map(([kind, instead]) => [
      kind,
      async () => {
        throw new Error(`$.send.${kind} is not offered here: use ${instead} in the step instead`);
      },
    ]),
  );
}

/** Replaces the file store, which the platform does not have: each of its methods throws an error. */
const ABSENT_FILES = new Proxy(
  {},
  {
    get(_, name) {
      if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
      return () => {
        throw new Error(`$.files.${name} is not offered here: keep the files of a run in /tmp`);
      };
    },
  },
);

/** Outbound messages are stored with the exports of the step until they are sent. */
const OUTGOING = new Set(["http", "email", "s3"]);

function keepSideEffect({ context, exported }, kind, given) {
  const { step } = context;
  if (context.ended) return noteLost(context.ended, { name: given.channel ?? `$.send.${kind}` });
  if (step.sideEffects.length >= MAX_SIDE_EFFECTS)
    throw new RangeError(`$.send.${kind}: a step may send at most ${MAX_SIDE_EFFECTS} messages`);
  const message = jsonOf(given, `$.send.${kind}`);
  const bytes = Buffer.byteLength(message);
  if (bytes > MAX_EMIT_BYTES)
    throw new RangeError(
      `$.send.${kind}: at most 1 MB of JSON can be sent, this is ${bytes} bytes`,
    );
  if (OUTGOING.has(kind)) exported.take(`$.send.${kind}`, bytes);
  chargeCall(context, wireBytes(message), `$.send.${kind}`);
  step.sideEffects.push({ kind, message });
}
