/** The version of the platform and of its packages, which are released together. */
export const PLATFORM_VERSION = "0.2.0";
