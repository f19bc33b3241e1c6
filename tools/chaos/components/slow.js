export default {
  key: "chaos-slow",
  name: "Slow",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http" },
  async run({ body }) {
    await new Promise((done) => setTimeout(done, 150));
    this.$emit(body, { name: body.channel });
  },
};
