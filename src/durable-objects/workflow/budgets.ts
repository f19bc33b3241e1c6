import { shareOf, unsent } from "#domain/chains.ts";
import type { OutboundMessage } from "#sandbox/side-effects.ts";

import type { Sent } from "./contract.ts";

/** The side effects of a step, by destination. */
export type Sorted = { emits: Sent[]; streamed: Sent[]; messages: OutboundMessage[] };

type Budget = { budget: number; spent: number | undefined; isLast: boolean };

/** Divide the rest of a budget among a step's messages; the steps after it have the other half. */
export function share({ emits, messages }: Sorted, { budget, spent = 0, isLast }: Budget) {
  const left = Math.max(0, budget - spent);
  const pool = isLast ? left : Math.ceil(left / 2);
  const count = emits.length + messages.length;
  const cut = unsent(pool, emits.length);
  const budgetOf = (index: number): number => shareOf(pool, count, index);
  return {
    emits: emits.map((sent, index) => ({ ...sent, budget: budgetOf(index) })),
    messages: messages.map((message, index) => ({
      ...message,
      budget: budgetOf(emits.length + index),
    })),
    cut: cut ? [cut] : [],
    spent: budget - left + (count > 0 ? pool : 0),
  };
}
