/** A member of an object of the runtime, as that object itself would use it. */
export function memberOf(target: object, name: string | symbol) {
  const member: unknown = Reflect.get(target, name);
  if (typeof member !== "function") return member;
  // The stub of something elsewhere takes `bind` for a method there.
  return (...args: unknown[]) => Reflect.apply(member, target, args);
}
