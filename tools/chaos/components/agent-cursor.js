/** Polls a list from where the last run ended. It emits without ids: an event and the position commit together. */
export default {
  key: "agent-cursor",
  name: "Items after a position",
  version: "0.0.1",
  type: "source",
  props: {
    upstream: "string",
    timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } },
    db: "$.service.db",
  },
  async run() {
    const response = await fetch(`${this.upstream}/items?after=${this.db.get("after") ?? 0}`);
    if (!response.ok) throw new Error(`The list responded with ${response.status}`);
    for (const item of await response.json()) {
      this.$emit(item);
      this.db.set("after", item.number);
    }
  },
};
