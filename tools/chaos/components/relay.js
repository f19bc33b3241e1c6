/** Emits the events that it receives: a link of a chain of sources. */
export default {
  name: "Relay",
  version: "0.0.1",
  type: "source",
  run(event) {
    this.$emit(event);
  },
};
