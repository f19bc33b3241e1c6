import type { ClaimedEvent } from "#domain/deliveries.ts";
import { compileFilter, type Filter, type FilterScope, type WorkBudget } from "#domain/filters.ts";
import { fromJson, valueOf } from "#domain/json.ts";
import type { EmissionMessage } from "#domain/messages.ts";

/** Maximum work of all filters of a batch together: about a second. */
const MAX_BATCH_WORK = 100_000_000;

/** Decides whether an event matches an expression. */
export type Judge = (expression: string) => boolean;

/**
 * The filters of a batch. Its owners have equal shares of the maximum work: an owner whose filters use up its share
 * waits for a later batch, and delays no other owner.
 */
export class BatchFilters {
  readonly #budgets: ReadonlyMap<string, WorkBudget>;
  readonly #compiled = new Map<string, Filter>();

  constructor(messages: readonly Pick<EmissionMessage, "ownerId">[]) {
    const owners = new Set(messages.map(({ ownerId }) => ownerId));
    const share = MAX_BATCH_WORK / owners.size;
    this.#budgets = new Map([...owners].map((owner) => [owner, { left: share }]));
  }

  /** Whether filters of an owner may evaluate another event: one in progress is finished. */
  mayEvaluate(ownerId: string): boolean {
    return this.#budgetOf(ownerId).left > 0;
  }

  /** Match one event against expressions: each is compiled once per batch, and evaluated once per event. */
  judgeOf(
    { payload, channel, meta }: ClaimedEvent,
    { sourceId: source, ownerId }: EmissionMessage,
  ): Judge {
    const budget = this.#budgetOf(ownerId);
    let scope: FilterScope | undefined;
    const matches = new Map<string, boolean>();
    return (expression) => {
      const known = matches.get(expression);
      if (known !== undefined) return known;
      if (!scope) {
        budget.left -= payload.length;
        scope = { ...(meta && fromJson(meta)), event: valueOf(payload), name: channel, source };
      }
      const isMatch = this.#filterOf(expression, budget)(scope, budget);
      matches.set(expression, isMatch);
      return isMatch;
    };
  }

  #filterOf(expression: string, budget: WorkBudget): Filter {
    const known = this.#compiled.get(expression);
    if (known) return known;
    const filter = compileFilter(expression, budget);
    this.#compiled.set(expression, filter);
    return filter;
  }

  #budgetOf(ownerId: string): WorkBudget {
    return this.#budgets.get(ownerId) ?? { left: 0 };
  }
}
