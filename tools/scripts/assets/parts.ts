import { CONSOLE } from "../console/build.ts";
import { SITE } from "../site/build.ts";

/** All that is built for the platform to serve. */
export const PARTS = [SITE, CONSOLE];
