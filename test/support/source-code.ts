/** Code of a source that answers HTTP requests, with another prop of each kind that the API shows or hides. */
export const HTTP_SOURCE = `export default {
  name: "New Order", version: "0.0.1",
  props: {
    http: { type: "$.interface.http" },
    db: "$.service.db",
    shop: { type: "string" },
    limit: { type: "integer", min: 1, default: 10, optional: true },
    token: { type: "string", secret: true, optional: true },
  },
  run(event) { this.$emit({ shop: this.shop, limit: this.limit, token: this.token, got: event.body }); },
};`;

/** Code of a source that emits on each of its ticks, and on every other run. */
export const TIMER_SOURCE = `export default {
  name: "Tick", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } } },
  run(event) { this.$emit(event); },
};`;

/** Code of a source whose hooks leave a trace in its database, and fail on demand. */
export const HOOKED_SOURCE = `export default {
  name: "Hooked", version: "0.0.1",
  props: {
    http: "$.interface.http",
    db: "$.service.db",
    failing: { type: "string", optional: true },
    mark: { type: "string", optional: true },
  },
  methods: {
    trace(hook) {
      this.db.set("trace", [...(this.db.get("trace") ?? []), this.mark ? hook + ":" + this.mark : hook]);
      if (this.failing === hook) throw new RangeError("no " + hook);
    },
  },
  hooks: {
    deploy() { this.trace("deploy"); },
    activate() { this.trace("activate"); },
    deactivate() { this.trace("deactivate"); },
  },
  run() { this.$emit(this.db.get("trace")); },
};`;
