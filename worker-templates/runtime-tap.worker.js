// `cloudflare:workers` binds one of its functions to an object of the runtime's when it is evaluated, which is once an
// isolate. This is evaluated before it: that function becomes one that does nothing, and the object can be sealed.

const bind = Reflect.get(Function.prototype, "bind");
let entrypoints;

/** In place of `waitUntil`: work ends with its call, so nothing is waited for. */
export function waitForNothing() {}

Reflect.set(Function.prototype, "bind", function tapped(target, ...args) {
  if (this.name !== "waitUntil") return Reflect.apply(bind, this, [target, ...args]);
  entrypoints = target;
  return waitForNothing;
});

/** Restore `bind`. Returns the captured object once: code that has it can let work outlive its call. */
export function endTap() {
  Reflect.set(Function.prototype, "bind", bind);
  const caught = entrypoints;
  entrypoints = undefined;
  return caught;
}
