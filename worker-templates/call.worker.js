// What belongs to one call: its context, its deadline and what comes of it.
import { CallLog } from "./console.worker.js";
import { current } from "./context.worker.js";
import { environmentOf } from "./environment.worker.js";
import { describeFailure } from "./failure.worker.js";
import { ServiceDb } from "./service-db.worker.js";

const MOST_EMISSIONS = 10_000;
const MICROTASK_TURNS = 8;

/**
 * Run `work` as one call with a context of its own, and tell what came of it: everything emitted, set and logged
 * until it ended, threw or ran out of time. To `uncaught` the runtime may add until rejectionsTold() resolves.
 */
export async function inCall(call, { host, stores }, work) {
  const context = {
    call,
    host,
    stores,
    pending: undefined,
    emitted: [],
    uncaught: [],
    log: new CallLog(),
    response: undefined,
    env: environmentOf(call),
    db: new ServiceDb(call.instance.db, call.kind === "hook" ? host : undefined),
  };
  const failure = await current.run(context, () => failureOf(() => work(context), call.deadlineMs));
  if (context.db.pending()) await context.db.pending();
  if (context.pending) await Promise.allSettled(context.pending);
  context.folder?.remove();
  const { emitted, log, uncaught, response, step } = context;
  const logs = log.lines();
  const db = context.db.writes();
  letGo(context);
  return { emitted, db, logs, uncaught, response, failure, step };
}

/** The runtime holds on to a call's context long after the call, but what is large in it need not stay. */
function letGo(context) {
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

/** Whether a promise settles without waiting for anything: most runs do, and then need no timer. */
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

/** Keep an emission for the commit at the end of the call; refuse one more than a call may make. */
export function keepEmission(context, emission) {
  if (context.emitted.length >= MOST_EMISSIONS)
    throw new RangeError(`One run may emit at most ${MOST_EMISSIONS} events`);
  context.emitted.push(emission);
}

/** Have a call wait before it ends for something that its component may not wait for itself. */
export function untilSettled(context, promise) {
  context.pending ??= new Set();
  context.pending.add(promise);
  const forget = () => context.pending.delete(promise);
  promise.then(forget, forget);
  return promise;
}

const send = globalThis.fetch;

// What a hook has set in db is committed before any of its requests leaves: a provider that calls the endpoint
// back at once must find it. `node:http` goes through here too.
globalThis.fetch = function fetch(...args) {
  const pending = current.getStore()?.db?.pending();
  return pending ? pending.then(() => send(...args)) : send(...args);
};
