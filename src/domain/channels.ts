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

/** Number of named channels on which an emitter may have events, beside the default one and those of the platform. */
export const MAX_CHANNELS = 50;

/** Maximum characters of a channel's name in an error message. */
const MAX_SHOWN_CHARACTERS = 100;

/** Whether a channel counts among an emitter's named ones. */
export function isNamedChannel(channel: string): boolean {
  return channel !== DEFAULT_CHANNEL && !channel.startsWith(SYSTEM_PREFIX);
}

/** The error message for events on new channels beyond the maximum. */
export function tooManyChannels(refused: readonly string[]): string {
  const first = JSON.stringify(refused[0]?.slice(0, MAX_SHOWN_CHARACTERS));
  const count = refused.length === 1 ? "1 event" : `${refused.length} events`;
  return `Not kept: ${count}, the first on the channel ${first}. An emitter may have events on at most ${MAX_CHANNELS} named channels: put what varies into the event, or delete the events of a channel that is no longer needed`;
}

/** Whether a channel is among those named; none named: all but the platform's own. */
export function isAmong(channels: readonly string[], channel: string): boolean {
  const isOwn = channel.startsWith(SYSTEM_PREFIX);
  if (channels.length === 0) return !isOwn;
  return channels.includes(channel) || (!isOwn && channels.includes(EMITS));
}
