/** A member of a runtime object, bound to that object. */
export function memberOf(target: object, name: string | symbol) {
  const member: unknown = Reflect.get(target, name);
  if (typeof member !== "function") return member;
  // The stub of a remote object treats `bind` as one of its methods.
  return (...args: unknown[]) => Reflect.apply(member, target, args);
}
