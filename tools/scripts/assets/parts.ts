import { SITE } from "../site/build.ts";
import { CATALOGUE } from "./catalogue.ts";
import { CONSOLE } from "./console.ts";

/** All assets that are built for the platform. */
export const PARTS = [SITE, CONSOLE, CATALOGUE];
