export default {
  key: "example-clock",
  name: "Clock",
  version: "0.0.1",
  type: "source",
  description: "Counts the ticks of a timer.",
  props: {
    timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } },
    db: "$.service.db",
  },
  run({ timestamp }) {
    const ticks = (this.db.get("ticks") ?? 0) + 1;
    this.db.set("ticks", ticks);
    this.$emit({ ticks, timestamp }, { summary: `Tick ${ticks}` });
  },
};
