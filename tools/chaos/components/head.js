/** Emits each event that it receives: the head of a chain of sources. */
export default {
  name: "Head",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit({ id: body.id }, { id: body.id });
  },
};
