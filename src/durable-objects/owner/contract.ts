/** The methods of `OwnerObject` that others may call. */
export type OwnerControl = {
  /** JSON of the routes by each of some emitters, as subscriptions name them: ids, globs, the owner. */
  routes(ownerId: string, emitterIds: readonly string[]): Promise<string[]>;
  /** A change of subscriptions to some emitters begins: until it ends or expires, they are read from D1. */
  beginRoutesChange(change: string, emitterIds: readonly string[]): Promise<void>;
  /** It has ended: later reads may be cached. */
  endRoutesChange(change: string, emitterIds: readonly string[]): Promise<void>;
};
