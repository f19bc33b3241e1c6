// The state of one call: its context, its deadline and its outcome.
import { CallLog, MAX_LINES } from "./console.worker.js";
import { current } from "./context.worker.js";
import { environmentOf } from "./environment.worker.js";
import { describeFailure } from "./failure.worker.js";
import { resumeLoadTimers } from "./load-timers.worker.js";
import { withoutExports } from "./runtime-seal.worker.js";
import { ServiceDb } from "./service-db.worker.js";

/**
 * The state of one call.
 * @typedef {object} CallContext
 * @property {any} call
 * @property {import("../src/sandbox/user-code.ts").Host} [host]
 * @property {import("../src/sandbox/user-code.ts").DataStores} [stores]
 * @property {Set<Promise<unknown>>} [pending] the promises that the call awaits before it ends
 * @property {import("../src/domain/invocation.ts").Emission[]} emitted
 * @property {number} emittedBytes
 * @property {number} leftBytes the bytes of its outcome, without its log
 * @property {any} [response]
 * @property {Promise<void>} [responding] settles when the stream of its body has been read and the response was sent
 * @property {any} [db]
 * @property {any} [env]
 * @property {Map<string, { oauth_access_token: string }[]>} [tokens] the component's objects with them, by access token
 * @property {Map<string, Promise<string | null>>} [renewals] the replacements of refused access tokens
 * @property {any} [log]
 * @property {any} [step] the partial result of a step
 * @property {any} [steps] the exports of earlier steps
 * @property {{ runId: string, sourceId: string, logs: unknown[] }} [ended] set once the call has ended
 */

// Packages replace globals when they are loaded.
const { clearTimeout, setTimeout } = globalThis;

const MAX_EMISSIONS = 10_000;
const MAX_EMITTED_BYTES = 16 * 1024 * 1024;
const MAX_META_BYTES = 256 * 1024;

/** Maximum bytes of an outcome without its log: well below the 32 MiB of an RPC message. */
const MAX_LEFT_BYTES = 28 * 1024 * 1024;
const LINE_BYTES = 128;
const MICROTASK_TURNS = 8;

/**
 * Run `work` as one call with a context of its own, and return its outcome: its emits, writes and log until it ended,
 * threw or timed out. The runtime may add to `uncaught` until rejectionsReported() resolves.
 * @param {import("../src/sandbox/user-code.ts").Call | import("../src/sandbox/user-code.ts").PropRequest} call
 * @param {{ host?: import("../src/sandbox/user-code.ts").Host | undefined, stores?: import("../src/sandbox/user-code.ts").DataStores | undefined }} ways
 * @param {(context: any) => Promise<void> | void} work
 * @returns {Promise<import("../src/sandbox/user-code.ts").Outcome>}
 */
export async function inCall(call, { host, stores }, work) {
  const context = {
    call,
    host,
    stores,
    pending: undefined,
    emitted: [],
    emittedBytes: 0,
    leftBytes: 0,
    uncaught: [],
    log: new CallLog(),
    response: undefined,
    env: environmentOf(call),
    // Set below, because it charges this context.
    db: /** @type {ServiceDb} */ (/** @type {unknown} */ (undefined)),
  };
  const charge = (bytes, what) => chargeCall(context, bytes, what);
  context.db = new ServiceDb(call.instance.db, call.kind === "hook" ? { host } : { charge });
  const thrown = await withoutExports(() =>
    current.run(context, () => {
      resumeLoadTimers();
      return failureOf(() => work(context), call.deadlineMs);
    }),
  );
  const failure = context.aborted ? describeFailure(context.aborted) : thrown;
  if (context.db.pending()) await context.db.pending();
  if (context.pending) await Promise.allSettled(context.pending);
  context.folder?.remove();
  const { emitted, log, uncaught, response, step } = context;
  const lines = log.lines();
  const logs = [...takeLost(call, MAX_LINES - lines.length), ...lines];
  const db = context.db.writes();
  letGo(context, logs);
  const outcome = { emitted, db, logs, uncaught, response, failure, step };
  sizes.set(
    outcome,
    context.leftBytes + logs.reduce((sum, { message }) => sum + wireBytes(message), 0),
  );
  return outcome;
}

const sizes = new WeakMap();

/**
 * The bytes of an outcome in an RPC message.
 * @param {import("../src/sandbox/user-code.ts").Outcome} outcome
 * @returns {number}
 */
export function sizeOf(outcome) {
  return sizes.get(outcome);
}

/**
 * The bytes of text in an RPC message: two per character if any is beyond Latin-1.
 * @param {string} text
 * @returns {number}
 */
export function wireBytes(text) {
  return LINE_BYTES + (/[\u0100-\uffff]/.test(text) ? text.length * 2 : text.length);
}

/**
 * Add to the bytes of a call's outcome. Throws a RangeError beyond the maximum.
 * @param {CallContext} context
 * @param {number} bytes
 * @param {string} what names it in the error
 */
export function chargeCall(context, bytes, what) {
  if (context.leftBytes + bytes > MAX_LEFT_BYTES)
    throw new RangeError(
      `${what}: the events, values, messages and response of one run may have at most 28 MB in all`,
    );
  context.leftBytes += bytes;
}

/** Drop large values: the runtime keeps a call's context long after the call. */
function letGo(context, logs) {
  const { runId = "", instance } = context.call;
  context.ended = { runId, sourceId: instance.sourceId, logs };
  for (const [timer, stop] of context.timers ?? []) stop(timer);
  context.timers = undefined;
  context.call = undefined;
  context.log = undefined;
  context.db = undefined;
  context.emitted = [];
}

async function failureOf(work, deadlineMs) {
  try {
    const running = work();
    if (!(await settlesAtOnce(running))) await withDeadline(running, deadlineMs);
    else await running;
    return undefined;
  } catch (error) {
    return describeFailure(error);
  }
}

/** Whether a promise settles without I/O: most runs do, and then need no timer. */
async function settlesAtOnce(promise) {
  const state = { isSettled: false };
  const settle = () => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < MICROTASK_TURNS && !state.isSettled; turn += 1) await Promise.resolve();
  return state.isSettled;
}

async function withDeadline(running, deadlineMs) {
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(deadlineMs)), deadlineMs);
  });
  try {
    await Promise.race([running, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

class DeadlineExceeded extends Error {
  name = "DeadlineExceeded";
  constructor(ms) {
    super(`The component did not finish within ${ms / 1000} s`);
  }
}

/**
 * Record an emission for the commit at the end of the call. Throws a RangeError beyond the limits.
 * @param {CallContext} context
 * @param {import("../src/domain/invocation.ts").Emission} emission
 */
export function keepEmission(context, emission) {
  if (context.ended) return noteLost(context.ended, emission);
  if (context.emitted.length >= MAX_EMISSIONS)
    throw new RangeError(`One run may emit at most ${MAX_EMISSIONS} events`);
  const { payload, id = "", name = "", summary = "" } = emission;
  const metaBytes = wireBytes(id + name + summary);
  if (metaBytes > MAX_META_BYTES)
    throw new RangeError("$emit: id, name and summary may have at most 256 KB in all");
  const bytes = wireBytes(payload) + metaBytes;
  if (context.emittedBytes + bytes > MAX_EMITTED_BYTES)
    throw new RangeError("$emit: one run may emit at most 16 MB in all");
  chargeCall(context, bytes, "$emit");
  context.emittedBytes += bytes;
  context.emitted.push(emission);
}

// Lines about events that were too late for the log of their own run, by source: they go to the next run's log.
const lost = new Map();
const MAX_LOSERS = 100;
const handedOver = new WeakSet();

/**
 * Record that the log of a call was returned: later lines in it are lost.
 * @param {import("../src/sandbox/user-code.ts").Outcome} outcome
 */
export function handOver({ logs }) {
  handedOver.add(logs);
}

/**
 * Log an event that a call emitted after its end, which is lost.
 * @param {{ runId: string, sourceId: string, logs: unknown[] }} ended
 * @param {{ name?: string, id?: string }} lost
 */
export function noteLost({ runId, sourceId, logs }, { name, id }) {
  const which = name ? `"${name}"` : id === undefined ? "without a name" : `with the id "${id}"`;
  const message = `The event ${which} is lost: it was emitted after the run ${runId} had ended`;
  const line = { level: "warn", message, atMs: Date.now() };
  const lines = handedOver.has(logs) ? (lost.get(sourceId) ?? []) : logs;
  if (lines.length < MAX_LINES) lines.push(line);
  if (lines !== logs && lost.size < MAX_LOSERS) lost.set(sourceId, lines);
}

function takeLost({ instance: { sourceId } }, room) {
  if (lost.size === 0) return [];
  const lines = lost.get(sourceId) ?? [];
  lost.delete(sourceId);
  return lines.slice(0, Math.max(0, room));
}

/**
 * Make a call await a promise at its end, because its component may not.
 * @template T
 * @param {CallContext} context
 * @param {Promise<T>} promise
 * @returns {Promise<T>} the same promise
 */
export function untilSettled(context, promise) {
  context.pending ??= new Set();
  context.pending.add(promise);
  const forget = () => context.pending?.delete(promise);
  promise.then(forget, forget);
  return promise;
}
