export default {
  key: "bench-waiting",
  name: "Waiting",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http" },
  async run({ body }) {
    await new Promise((resume) => setTimeout(resume, 200));
    this.$emit(body, { id: body.id, summary: body.item, ts: Date.now() });
  },
};
