import { expect, test } from "vitest";

import { usedParts } from "#bundler/used-parts.ts";

function partsOf(code: string): string[] | undefined {
  const parts = usedParts(code, ["googleapis", "axios"]).get("googleapis");
  return parts && [...parts].toSorted();
}

test.for([
  [
    `import { google } from "googleapis"; google.drive("v3"); google["sheets"]("v4");`,
    "drive sheets",
  ],
  [
    `import { google } from "googleapis@118"; const auth = new google.auth.OAuth2(); google.options({ auth });`,
    "",
  ],
  [
    `import googleapis from "googleapis"; googleapis.google.drive("v3"); new googleapis.Auth.JWT();`,
    "drive",
  ],
  [
    `import * as g from "googleapis"; g.google.drive("v3"); g.default.google?.docs("v1"); g.sheets_v4.Sheets;`,
    "docs drive sheets",
  ],
  [
    `import { google as g, admin_directory_v1 } from "googleapis"; new admin_directory_v1.Admin(); g.drive;`,
    "admin drive",
  ],
  [`const { google } = __require("googleapis"); google.drive("v3");`, "drive"],
  [
    `use(); function use() { return g.drive; } const all = __require("googleapis"); const { google: g } = all;`,
    "drive",
  ],
  [
    `const { google: { drive, docs = null }, sheets_v4: { Sheets } } = await import("googleapis");`,
    "docs drive sheets",
  ],
  [
    `import { google } from "googleapis"; export default { props: { google: 1 }, run() { return this.google.slides + google.drive; } };`,
    "drive",
  ],
  [`import "googleapis";`, ""],
])("finds the used parts: %s", ([code = "", parts = ""]) => {
  expect(partsOf(code)?.join(" ")).toBe(parts);
});

test.for([
  `import { google } from "googleapis"; google[name]("v3");`,
  `import { google } from "googleapis"; const { [name]: api } = google;`,
  `import { google } from "googleapis"; const { auth, ...apis } = google;`,
  `import { google } from "googleapis"; const methods = { google() { return google; } };`,
  `import { google } from "googleapis"; this.client = google;`,
  `import { google } from "googleapis"; let client; client = google;`,
  `import { google } from "googleapis"; for (const name in google) google.drive;`,
  `import { google } from "googleapis"; call({ google });`,
  `import { google } from "googleapis"; const [first] = google;`,
  `import { google } from "googleapis"; export { google };`,
  `import { google } from "googleapis"; with_(google);`,
  `export { google } from "googleapis";`,
  `export * from "googleapis";`,
  `import("googleapis").then(({ google }) => google.drive);`,
  `import googleapis from "googleapis"; googleapis[name];`,
  `import drive from "googleapis/build/src/apis/drive/index.js";`,
  `import { google } from "googleapis"; import other from "googleapis/build/src/googleapis.js"; google.drive;`,
  `const { google } = __require("googleapis"); { const google = all.google; google.sheets; } google.drive;`,
  `var a = b; var b = c; var c = d; var d = e; var e = __require("googleapis"); a.google.drive;`,
  `import { google } from "googleapis"; google.drive(; `,
  `import { google } from "googleapis"; google.drive; ${"[".repeat(20_000)}${"]".repeat(20_000)};`,
])("uses all parts of a package if any may be used: %s", (code) => {
  expect(partsOf(code)).toBeUndefined();
});

test("examines only packages with parts", () => {
  expect(usedParts(`import { google } from "axios"; google.drive;`, ["axios"])).toEqual(new Map());
});
