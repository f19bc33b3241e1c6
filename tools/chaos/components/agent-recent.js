/** Polls the most recent items of a list and leaves it to the platform to drop those that it has emitted. */
export default {
  key: "agent-recent",
  name: "Recent items",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: {
    upstream: "string",
    timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } },
  },
  async run() {
    const response = await fetch(`${this.upstream}/items`);
    if (!response.ok) throw new Error(`The list responded with ${response.status}`);
    for (const item of await response.json()) this.$emit(item, { id: item.id });
  },
};
