import type { Invoked } from "../driver/main.ts";
import type { ActionResult, Responded, SourceResult } from "../src/testing.ts";
import { located } from "./failure.ts";

type Left = Pick<
  SourceResult & ActionResult,
  "logs" | "response" | "error" | "uncaught" | "stores"
>;

/** The outcome of any run, for a test. */
export function leftBy({ outcome, stores }: Invoked, map: string): Left {
  const { logs, failure, uncaught = [], response } = outcome;
  return {
    logs: logs.map(({ level, message }) => ({ level, message })),
    response: response && responded(response),
    error: failure && located(failure, map),
    uncaught: uncaught.map((one) => located(one, map)),
    stores: Object.fromEntries(
      Object.entries(stores).map(([prop, records]) => [prop, valuesByKey(records)]),
    ),
  };
}

function responded({
  status,
  headers,
  body,
  isBase64,
}: NonNullable<Invoked["outcome"]["response"]>): Responded {
  const isBytes = isBase64 && body !== null;
  return { status, headers, body: isBytes ? new Uint8Array(Buffer.from(body, "base64")) : body };
}

/** The values of JSON text by key; null is a deleted key. */
export function valuesByKey(texts: Record<string, string | null>): Record<string, unknown> {
  const kept = Object.entries(texts).flatMap(([key, text]) =>
    text === null ? [] : [[key, JSON.parse(text)] as const],
  );
  return Object.fromEntries(kept);
}
