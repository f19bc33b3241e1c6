export default {
  key: "chaos-counting",
  name: "Counting",
  version: "0.0.1",
  type: "source",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) {
    // State and event are committed together: a missing or duplicate count shows that they were not.
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ ...body, count }, { name: body.channel });
  },
};
