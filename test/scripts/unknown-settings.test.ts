import { expect, test } from "vitest";

import { unknownSettings } from "../../tools/scripts/local/unknown-settings.ts";

const SETTINGS = ["TRUSTED_PROXIES", "SANDBOXES", "RATE_LIMIT", "NPM_TOKEN"];

test.for([
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["SANDBOXS", "SANDBOXES"],
  ["RATELIMIT", "RATE_LIMIT"],
  ["LOG_FROMAT", "LOG_FORMAT"],
  ["USERCODE", "USER_CODE"],
] as const)("%s in the environment is a misspelt %s", ([name, meant]) => {
  const given = { devVars: [], environment: ["PATH", name, "RATE_LIMIT"] };
  expect(unknownSettings(SETTINGS, given)).toEqual([
    `${name} is not a setting: did you mean ${meant}?`,
  ]);
});

test("variables of other programs cause no warning", () => {
  const environment = ["HOME", "HOSTNAME", "LOGNAME", "SHELL", "npm_config_cache", "CI", "LANG"];
  expect(unknownSettings(SETTINGS, { devVars: [], environment })).toEqual([]);
});

test("each name in .dev.vars without an effect causes a warning", () => {
  const devVars = ["NPM_TOKEN", "PORT", "SANDBOX", "MY_KEY"];
  expect(unknownSettings(SETTINGS, { devVars, environment: [] })).toEqual([
    "PORT in .dev.vars has no effect: set it in the environment",
    "SANDBOX in .dev.vars is not a setting: did you mean SANDBOXES?",
    "MY_KEY in .dev.vars is not a setting",
  ]);
});
