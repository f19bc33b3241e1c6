/** Registers a webhook that only notifies of new items, and fetches them after the last known one. */
export default {
  key: "agent-notified",
  name: "Items after a notification",
  version: "0.0.1",
  type: "source",
  dedupe: "greatest",
  props: { upstream: "string", http: "$.interface.http", db: "$.service.db" },
  hooks: {
    async activate() {
      await fetch(`${this.upstream}/hook`, { method: "PUT", body: this.http.endpoint });
    },
    async deactivate() {
      await fetch(`${this.upstream}/hook`, { method: "DELETE" });
    },
  },
  async run() {
    const response = await fetch(`${this.upstream}/items?after=${this.db.get("after") ?? 0}`);
    if (!response.ok) throw new Error(`The list responded with ${response.status}`);
    for (const item of await response.json()) {
      this.$emit(item, { id: item.number });
      this.db.set("after", item.number);
    }
  },
};
