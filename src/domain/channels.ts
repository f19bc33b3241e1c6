/** The channel of events without a named one. */
export const DEFAULT_CHANNEL = "";
export const ERROR_CHANNEL = "$errors";
export const LOG_CHANNEL = "$logs";

/** The channel of alerts for the owner of an emitter. */
export const ALERT_CHANNEL = "$alerts";

/** The channel of delayed events until they are due. */
export const DELAYED_CHANNEL = "$in";

/** The prefix of the platform's own channels; a component's `$emit` cannot name one. */
export const SYSTEM_PREFIX = "$";

/** The channel that reports each run to open streams when it ends. It is not stored. */
export const RUN_CHANNEL = "$runs";

/** The wildcard in streams for every channel except the platform's own. */
export const EMITS = "$emits";

/** Whether a channel is among those named; none named: all but the platform's own. */
export function isAmong(channels: readonly string[], channel: string): boolean {
  const isOwn = channel.startsWith(SYSTEM_PREFIX);
  if (channels.length === 0) return !isOwn;
  return channels.includes(channel) || (!isOwn && channels.includes(EMITS));
}
