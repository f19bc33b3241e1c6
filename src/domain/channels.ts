/** The channel of events that name none. */
export const DEFAULT_CHANNEL = "";
export const ERROR_CHANNEL = "$errors";
export const LOG_CHANNEL = "$logs";

/** What the owner of an emitter has to look after. */
export const ALERT_CHANNEL = "$alerts";

/** The channel of delayed events until they are due. */
export const DELAYED_CHANNEL = "$in";

/** Channels of the platform's own begin so; a component's `$emit` cannot name one. */
export const SYSTEM_PREFIX = "$";
