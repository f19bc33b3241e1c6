import { ENCODINGS } from "./protocols/encodings.ts";
import { FEEDS } from "./protocols/feed.ts";
import { FILES } from "./protocols/files.ts";
import { GOOGLE } from "./protocols/google.ts";
import { GRAPH } from "./protocols/graph.ts";
import { MONDAY } from "./protocols/monday.ts";
import { NOTION } from "./protocols/notion.ts";
import { PAGES } from "./protocols/pages.ts";
import { SIGNATURES } from "./protocols/signatures.ts";
import { SLACK } from "./protocols/slack.ts";
import { TOKENS } from "./protocols/tokens.ts";
import { TWILIO } from "./protocols/twilio.ts";
import type { Scenario } from "./scenario.ts";

/** All scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  ...PAGES,
  ...TOKENS,
  ...SIGNATURES,
  ...GRAPH,
  ...MONDAY,
  ...TWILIO,
  ...SLACK,
  ...GOOGLE,
  ...NOTION,
  ...FEEDS,
  ...FILES,
  ...ENCODINGS,
];
