/** Maximum entries that this isolate caches. */
const MAX_ENTRIES = 10_000;

/** A map that drops the entry that was set longest ago. */
export class RecentMap<V> extends Map<string, V> {
  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > MAX_ENTRIES && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
