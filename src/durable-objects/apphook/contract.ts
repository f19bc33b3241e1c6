import type { ProviderEvent } from "#domain/apphooks.ts";

/** The progress of a provider's event: the number of sources that have it, and whether these are all. */
export type Progress = { sources: number; isDone: boolean };

/** The methods of the object of a provider's event. */
export type ApphookControl = {
  /**
   * Accept an event, and deliver it to every source that it triggers. Durable when this resolves; only the first event
   * under an id counts.
   */
  accept(event: ProviderEvent, requestId?: string): Promise<Progress>;
  /** The progress of the event; one that was never accepted has none. */
  progress(): Promise<Progress>;
};
