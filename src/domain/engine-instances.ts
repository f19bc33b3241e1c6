/** Time for which the engine of Workflows keeps the state of an ended instance, unless it is deleted before. */
export const INSTANCE_RETENTION = { successRetention: "1 day", errorRetention: "1 day" } as const;

/** Code of the engine for an instance that it does not have. */
export const INSTANCE_NOT_FOUND = 10400;
