export default {
  key: "chaos-quick",
  name: "Quick",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit(body, { name: body.channel });
  },
};
