// `cloudflare:workers` binds one of its functions to an object of the runtime when it is evaluated, once per isolate.
// This is evaluated before it: it replaces that function by one without effect, and captures the object, which can then
// be sealed.

const bind = Reflect.get(Function.prototype, "bind");
let entrypoints;

/** Replaces `waitUntil`: work ends with its call, so there is nothing to wait for. */
export function waitForNothing() {}

Reflect.set(Function.prototype, "bind", function tapped(target, ...args) {
  if (this.name !== "waitUntil") return Reflect.apply(bind, this, [target, ...args]);
  entrypoints = target;
  return waitForNothing;
});

/** Restore `bind`. Returns the captured object once: code with it could continue work after its call. */
export function endTap() {
  Reflect.set(Function.prototype, "bind", bind);
  const caught = entrypoints;
  entrypoints = undefined;
  return caught;
}
