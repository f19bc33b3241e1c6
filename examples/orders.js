export default {
  key: "example-orders",
  name: "Orders",
  version: "0.0.1",
  type: "source",
  description: "Emits every order that is posted to its endpoint, each once.",
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body: order }) {
    this.$emit(order, { id: order.id, summary: `Order ${order.id}`, ts: Date.now() });
  },
};
