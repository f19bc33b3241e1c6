export default {
  key: "bench-stateful",
  name: "Stateful",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) {
    this.db.set("last", body.id);
    this.$emit(body, { id: body.id, summary: body.item, ts: Date.now() });
  },
};
