import type { DeliveriesReport, UsageReport } from "#domain/billing.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { Allowance } from "#domain/quotas.ts";

/** The methods of `OwnerObject` that others may call. */
export type OwnerControl = {
  /** JSON of the routes by each of some emitters, as subscriptions name them: ids, globs, the owner. */
  routes(ownerId: string, emitterIds: readonly string[]): Promise<string[]>;
  /** A change of subscriptions to some emitters begins: until it ends or expires, they are read from D1. */
  beginRoutesChange(change: string, emitterIds: readonly string[]): Promise<void>;
  /** The change has ended: later reads may be cached. */
  endRoutesChange(change: string, emitterIds: readonly string[]): Promise<void>;
  /** Store the usage of an emitter so far until it is written to D1, and return the rest of the payer's quotas. */
  reportUsage(report: UsageReport): Promise<Allowance>;
  /** Store the number of a webhook's attempts so far until it is written to D1. */
  reportDeliveries(report: DeliveriesReport): Promise<void>;
  /** Write all stored usage to D1. */
  flushUsage(): Promise<void>;
  /** Delete totals that no report can refer to any more. Returns their number. */
  deleteOldTotals(): Promise<number>;
  /** The quotas of this payer have changed in D1. */
  quotasChanged(): Promise<void>;
  /** The project of an external user; null: of another owner. */
  projectOf(ownerId: OwnerId): Promise<Id<"project"> | null>;
  /** The bytes that the sources, workflows, webhooks, data stores and stashes of this payer take. */
  storedBytes(): Promise<number>;
  /** Record the size of one of these, of this owner; 0: it was erased. */
  reportStoredBytes(ownerId: OwnerId, objectId: string, bytes: number): Promise<void>;
  /** Usage of this owner was added in D1 beside the reports. */
  usageAdded(ownerId: OwnerId): Promise<void>;
};
