import type {
  Experimental_MCPEventStore as Store,
  Experimental_MCPEventSubscription as Subscription,
} from "@ai-sdk/mcp";

/** A subscription store of the published client in memory. */
export function newSubscriptionStore(): Store & { all: () => Subscription[] } {
  const kept = new Map<string, Subscription>();
  return {
    all: () => [...kept.values()],
    get: async (key) => kept.get(key),
    getById: async (id) => [...kept.values()].find((one) => one.id === id),
    set: async (one) => void kept.set(one.key, one),
    update: async (key, patch) => {
      const known = kept.get(key);
      if (known) kept.set(key, { ...known, ...patch });
    },
    delete: async (key) => void kept.delete(key),
  };
}
