export default {
  key: "bench-stateless",
  name: "Stateless",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit(body, { id: body.id, summary: body.item, ts: Date.now() });
  },
};
