import { SITE } from "../site/build.ts";
import { CONSOLE } from "./console.ts";

/** All that is built for the platform to serve. */
export const PARTS = [SITE, CONSOLE];
