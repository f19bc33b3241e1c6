/** Registers a webhook, and receives each item until it acknowledges it. */
export default {
  key: "agent-pushed",
  name: "Pushed items",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: { upstream: "string", http: "$.interface.http" },
  hooks: {
    async activate() {
      await fetch(`${this.upstream}/hook`, { method: "PUT", body: this.http.endpoint });
    },
    async deactivate() {
      await fetch(`${this.upstream}/hook`, { method: "DELETE" });
    },
  },
  run({ body }) {
    this.$emit(body, { id: body.id });
  },
};
