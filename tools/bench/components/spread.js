export default {
  key: "bench-spread",
  name: "Spread",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit(body, { id: body.id, summary: body.item, ts: Date.now() });
  },
};
