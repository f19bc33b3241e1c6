import "../scripts/help.ts";
import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";

import { packTarball } from "./tarball.ts";

/** Packs the three packages into dist/, and prints the command that installs and runs them in an empty folder. */

const DIST = resolve(import.meta.dirname, "../../dist");

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
const tarballs: string[] = [];
for (const name of ["cli", "client", "component"]) tarballs.push(await packTarball(name, DIST));

// Without `--prefix`, npm would install into a folder above that has packages already.
const install = `npm install --prefix . ${tarballs.map((path) => `"${path}"`).join(" ")}`;
console.log(`packed into ${DIST}; in an empty folder, this installs them and runs a source:

${install} && npx wellspring init source orders && npx wellspring dev orders/component.js`);
