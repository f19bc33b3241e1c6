import { z } from "zod";

import { DEFAULT_CHANNEL, SYSTEM_PREFIX } from "#domain/channels.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "#domain/row-size.ts";
import { messageOf } from "#sandbox/side-effects.ts";
import type { SideEffect } from "#sandbox/user-code.ts";

import type { Sorted } from "./budgets.ts";

const Channel = z
  .string()
  .refine((name) => !name.startsWith(SYSTEM_PREFIX), "is kept for the platform");
const Emit = z.object({ event: z.unknown(), channel: Channel.default(DEFAULT_CHANNEL) });
const Streamed = z.object({ channel: Channel, payload: z.unknown() });

/** The side effects of a step by their destination. Throws if one is not in the harness's format. */
export async function sorted(
  sideEffects: readonly SideEffect[],
  idOf: (index: number) => string,
): Promise<Sorted> {
  const ofKind = (kind: SideEffect["kind"]): unknown[] =>
    sideEffects
      .filter((one) => one.kind === kind)
      .map(({ message }) => JSON.parse(message) as unknown);
  return {
    emits: ofKind("emit").map((message) => {
      const { event, channel } = Emit.parse(message);
      const payload = JSON.stringify(event ?? null);
      if (!fitsBytes(channel + payload, MAX_EVENT_BYTES))
        throw new RangeError(`$.send.emit: an event may take at most ${MAX_EVENT_BYTES} bytes`);
      return { channel, payload };
    }),
    streamed: ofKind("sse").map((message) => {
      const { channel, payload } = Streamed.parse(message);
      return { channel, payload: JSON.stringify(payload ?? null) };
    }),
    messages: await Promise.all(
      sideEffects
        .filter(({ kind }) => kind !== "emit" && kind !== "sse")
        .map((sideEffect, index) => messageOf(sideEffect, idOf(index))),
    ),
  };
}
