import { addressOf } from "../../../src/domain/address.ts";
import type { DedupeStrategy } from "../../../src/domain/dedupe.ts";
import { admit, type Candidate } from "../../../src/domain/dedupe.ts";
import { HTTP_INTERFACE } from "../../../src/domain/definition.ts";
import { requestEvent } from "../../../src/domain/http-event.ts";
import { type Emission, inEmissionOrder } from "../../../src/domain/invocation.ts";
import { fromJson, type Json } from "../../../src/domain/json.ts";
import { eventOfManualRun } from "../../../src/domain/manual-run.ts";
import type { Call } from "../../../src/sandbox/user-code.ts";
import type { Invoked } from "../driver/main.ts";
import type {
  ComponentFile,
  Emit,
  Seen,
  SourceResult,
  SourceTest,
  Thrown,
} from "../src/testing.ts";
import { jsonByKey, RUN_ID } from "./configured.ts";
import { leftBy, valuesByKey } from "./outcome.ts";
import { type Session, withComponent } from "./session.ts";

/** Run a source, or one of its hooks, once in the runtime of the platform. */
export async function testSource(
  file: ComponentFile,
  { db = {}, event, hook, seen = [], ...given }: SourceTest = {},
): Promise<SourceResult> {
  return withComponent(file, { ...given, db: jsonByKey(db) }, async (session) => {
    const { runtime, component, map } = session;
    const { definition, instance, stores, warnings } = component;
    if (definition.type !== "source")
      throw new TypeError("testSource: the component is an action, which testAction runs");
    const call: Call =
      hook === undefined
        ? { kind: "run", event: JSON.stringify(eventFor(session, event)), ...common(session) }
        : { kind: "hook", hook, ...common(session) };
    const invoked = await runtime.send<Invoked>({ kind: "invoke", call, stores });
    const left = leftBy(invoked, map);
    const { emits, rejected, memory } = admitted(definition.dedupe, seen, invoked.outcome.emitted);
    return {
      ...left,
      uncaught: [...left.uncaught, ...rejected],
      warnings,
      emits,
      seen: memory,
      db: valuesByKey({ ...instance.db, ...invoked.outcome.db, ...invoked.db }),
    };
  });
}

function common({ component: { instance }, deadlineMs }: Session) {
  return { instance, runId: RUN_ID, deadlineMs };
}

/** The argument of `run`: the given one, a completed request, or the default event of a manual run. */
function eventFor({ component, nowMs }: Session, given: unknown): unknown {
  const { definition, values, instance } = component;
  const { props } = definition;
  const { endpoints: urls } = instance;
  if (given === undefined) return eventOfManualRun({ props, configuredProps: values, urls }, nowMs);
  const http = props.find(({ type }) => type === HTTP_INTERFACE);
  return http === undefined ? given : requestOf(given, urls[http.name] ?? "");
}

function requestOf(given: unknown, url: string): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const { body, bodyRaw }: { body?: unknown; bodyRaw?: unknown } = given;
  const head = { method: "POST", url: addressOf(url), path: "/", headers: {} };
  const completed = requestEvent(
    { ...head, clientIp: "127.0.0.1" },
    {
      bodyRaw: rawOf(body),
      ...(body === undefined && typeof bodyRaw === "string" && bodyRaw !== "" && parsed(bodyRaw)),
    },
  );
  return { ...completed, ...given };
}

function rawOf(body: unknown): string {
  if (body === undefined) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}

function parsed(bodyRaw: string): { body: Json } {
  try {
    return { body: fromJson(bodyRaw) };
  } catch {
    return { body: bodyRaw };
  }
}

type Admitted = { emits: Emit[]; rejected: Thrown[]; memory: Seen };

/** The emitted events, in order, after the platform's dedupe. */
function admitted(
  dedupe: DedupeStrategy | undefined,
  seen: Seen,
  emitted: readonly Emission[],
): Admitted {
  const batch = inEmissionOrder(emitted);
  if (dedupe === undefined) return { emits: batch.map(emitOf), rejected: [], memory: [] };
  const result = admit(dedupe, seen, batch);
  return {
    emits: result.admitted.map(emitOf),
    rejected: result.rejected.map(({ reason }) => ({
      name: "DedupeError",
      message: reason,
      stack: "",
    })),
    memory: result.memory,
  };
}

function emitOf({ payload, id, name, summary, ts, deliveryTs }: Emission & Candidate): Emit {
  return {
    event: JSON.parse(payload),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(summary !== undefined && { summary }),
    ...(ts !== undefined && { ts }),
    ...(deliveryTs !== undefined && { delivery_ts: deliveryTs }),
  };
}
