/** Emits every tick of its timer. */
export default {
  name: "Ticking",
  version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } } },
  run(tick) {
    this.$emit(tick);
  },
};
