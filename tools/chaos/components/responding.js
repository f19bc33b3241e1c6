export default {
  key: "chaos-responding",
  name: "Responding",
  version: "0.0.1",
  type: "source",
  props: { http: { type: "$.interface.http", customResponse: true } },
  async run({ body }) {
    this.http.respond({ status: 200, body: body.id });
    await new Promise((done) => setTimeout(done, 30));
    this.$emit(body, { name: body.channel });
  },
};
