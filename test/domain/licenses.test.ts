import { expect, test } from "vitest";

import { allowedLicenses, isAllowed, licenseOf } from "#domain/licenses.ts";

const MIT = `Copyright (c) 2026 Ada

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files, to deal in the Software without restriction, subject to the following:

The above copyright notice and this permission notice shall be included in all copies.`;
const BSD =
  "Redistribution and use in source and binary forms, with or without modification, are permitted";
const ENTRY = "components/shop/actions/run/run.mjs";

test.for([
  ["MIT", MIT],
  ["Apache-2.0", "\n    Apache License\n    Version 2.0, January 2004\n"],
  ["BSD-2-Clause", BSD],
  ["BSD-3-Clause", `${BSD} … Neither the name of the copyright holder`],
  [
    "ISC",
    "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that",
  ],
  ["MPL-2.0", "Mozilla Public License Version 2.0\n==="],
  ["GPL-3.0", "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007"],
  ["GPL-2.0", "GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991"],
  ["LGPL-2.1", "GNU LESSER GENERAL PUBLIC LICENSE\n Version 2.1, February 1999"],
  ["AGPL-3.0", "GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3, 19 November 2007"],
  ["Elastic-2.0", "Elastic License 2.0\n\n## Acceptance"],
  [
    "BUSL-1.1",
    "Business Source License 1.1\n\nParameters\n\nChange License: Apache License, Version 2.0",
  ],
  ["PolyForm-Noncommercial-1.0.0", "# PolyForm Noncommercial License 1.0.0"],
] as const)("recognizes %s by its text", ([name, text]) => {
  expect(licenseOf({ LICENSE: text }, ENTRY)).toBe(name);
});

test.for([
  [
    "its own manifest takes precedence",
    { "package.json": `{"license":"A"}`, "components/shop/package.json": `{"license":"B"}` },
    "B",
  ],
  [
    "skips a manifest without a licence",
    { "package.json": `{"license":"A"}`, "components/shop/package.json": `{"name":"x"}` },
    "A",
  ],
  [
    "a text nearer than a manifest",
    { "package.json": `{"license":"A"}`, "components/shop/LICENSE": MIT },
    "MIT",
  ],
  ["a manifest and its text", { "package.json": `{"license":"MIT"}`, LICENSE: MIT }, "MIT"],
  [
    "a manifest and a text of other terms beside it",
    { "package.json": `{"license":"MIT"}`, LICENSE: "Source Available License Version 1.0" },
    "MIT AND SEE LICENSE IN LICENSE",
  ],
  [
    "a choice with its texts",
    {
      "package.json": `{"license":"(MIT OR Apache-2.0)"}`,
      "LICENSE-APACHE": "Apache License\nVersion 2.0, January 2004",
      "LICENSE-MIT": MIT,
    },
    "(MIT OR Apache-2.0)",
  ],
  [
    "a choice with another text",
    { "package.json": `{"license":"MIT OR ISC"}`, LICENSE: BSD },
    "(MIT OR ISC) AND BSD-2-Clause",
  ],
  [
    "a licence with its later versions",
    {
      "package.json": `{"license":"GPL-3.0-or-later"}`,
      LICENSE: "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007",
    },
    "GPL-3.0-or-later",
  ],
  ["the nearest text", { LICENSE: "Mine alone", "components/shop/licence.md": MIT }, "MIT"],
  [
    "the text that a manifest points to",
    { "package.json": `{"license":"SEE LICENSE IN ./terms.txt"}`, "terms.txt": MIT },
    "MIT",
  ],
  [
    "a pointer to nothing",
    { "package.json": `{"license":"SEE LICENSE IN ../x"}` },
    "SEE LICENSE IN ../x",
  ],
  [
    "an old manifest's list",
    { "package.json": `{"licenses":[{"type":"MIT"},{"type":"ISC"}]}` },
    "MIT OR ISC",
  ],
  ["an old manifest's object", { "package.json": `{"license":{"type":"MIT"}}` }, "MIT"],
  [
    "an unknown text",
    { "components/COPYING.txt": "Ask me." },
    "SEE LICENSE IN components/COPYING.txt",
  ],
  [
    "a condition added to a known text",
    { LICENSE: `"Commons Clause" License Condition\n${MIT}` },
    "SEE LICENSE IN LICENSE",
  ],
  ["two texts in one", { LICENSE: `${MIT}\n${BSD}` }, "SEE LICENSE IN LICENSE"],
  ["another component's text", { "components/other/LICENSE": MIT }, null],
  [
    "broken and hostile manifests",
    { "package.json": `{"license":`, "components/package.json": `{"license":7,"licenses":"x"}` },
    null,
  ],
  [
    "control characters",
    { "package.json": JSON.stringify({ license: "MIT\u0000\n\u202E" }) },
    "MIT",
  ],
  [
    "an endless name",
    { "package.json": JSON.stringify({ license: "x".repeat(9000) }) },
    "x".repeat(200),
  ],
] as const)("%s", ([, files, license]) => {
  expect(licenseOf(files, ENTRY)).toBe(license);
});

test.for([
  ["", "anything", true],
  ["", null, true],
  ["MIT, isc", "ISC", true],
  ["MIT", null, false],
  ["MIT,none", null, true],
  ["MIT,none", "none", false],
  ["MIT", "MIT-0", false],
  ["MIT", "(MIT OR GPL-3.0)", true],
  ["MIT", "MIT AND GPL-3.0", false],
  ["MIT,ISC", "MIT AND ISC", true],
  ["MIT", "GPL-3.0 OR (MIT)", false],
  ["MIT", "MIT AND SEE LICENSE IN LICENSE", false],
  ["MIT", "", false],
  [" , ,", "GPL-3.0", true],
] as const)("a list of %o accepts %o: %o", ([setting, license, expected]) => {
  expect(isAllowed(allowedLicenses(setting), license)).toBe(expected);
});
