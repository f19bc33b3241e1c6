import type { ProviderEvent } from "#domain/apphooks.ts";

/** How far a provider's event has come: to how many sources, and whether that is all of them. */
export type Progress = { sources: number; isDone: boolean };

/** The methods of the object of a provider's event. */
export type ApphookControl = {
  /**
   * Take an event in, and bring it to every source that waits for it. Durable when this resolves; the first event
   * that comes under an id is the one that counts.
   */
  accept(event: ProviderEvent, requestId?: string): Promise<Progress>;
  /** The progress of the event; one that was never accepted has none. */
  progress(): Promise<Progress>;
};
