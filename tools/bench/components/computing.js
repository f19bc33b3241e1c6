/** Computes for some milliseconds on every event. */
export default {
  key: "bench-computing",
  name: "Computing",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body }) {
    let sum = 0;
    for (let at = 0; at < 900_000; at += 1) sum = (sum * 31 + at) % 1_000_003;
    this.$emit({ ...body, sum }, { id: body.id, summary: body.item, ts: Date.now() });
  },
};
