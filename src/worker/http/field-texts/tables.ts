import { ADMIN_EXAMPLES } from "./admin-examples.ts";
import { ADMIN_TEXTS } from "./admin.ts";
import { AGENT_QUOTA_EXAMPLES, AGENT_QUOTA_TEXTS } from "./agent-quotas.ts";
import { COMMON_EXAMPLES } from "./common-examples.ts";
import { COMMON_TEXTS } from "./common.ts";
import { COMPONENT_TEXTS } from "./components.ts";
import { CONNECT_COMPONENT_TEXTS } from "./connect-components.ts";
import { CONNECT_EXAMPLES } from "./connect-examples.ts";
import { CONNECT_TEXTS } from "./connect.ts";
import { CONSOLE_EXAMPLES } from "./console-examples.ts";
import { CONSOLE_TEXTS } from "./console.ts";
import type { FieldTables } from "./describe.ts";
import { EMITTER_TEXTS } from "./emitters.ts";
import { OWNED_TEXTS } from "./owned.ts";
import { PLATFORM_EXAMPLES } from "./platform-examples.ts";
import { ANYWHERE, type FieldTable, merged } from "./table.ts";
import { WORKFLOW_TEXTS } from "./workflows.ts";

/** The times of resources, which have other formats in the Connect API. */
const TIMES: FieldTable<string> = {
  [ANYWHERE]: {
    created_at: "Time of creation, epoch seconds",
    updated_at: "Time of the last change, epoch seconds",
  },
};

const V1_TEXTS = merged(
  TIMES,
  COMMON_TEXTS,
  COMPONENT_TEXTS,
  EMITTER_TEXTS,
  WORKFLOW_TEXTS,
  OWNED_TEXTS,
  CONSOLE_TEXTS,
);
const PLATFORM = merged(COMMON_EXAMPLES, PLATFORM_EXAMPLES, CONSOLE_EXAMPLES);

/** The texts of fields in the document of the v1 API. */
export const V1_FIELDS: FieldTables = { texts: V1_TEXTS, examples: PLATFORM };

/** The texts of fields in the document of the admin API. */
export const ADMIN_FIELDS: FieldTables = {
  texts: merged(V1_TEXTS, ADMIN_TEXTS, AGENT_QUOTA_TEXTS),
  examples: merged(PLATFORM, ADMIN_EXAMPLES, AGENT_QUOTA_EXAMPLES),
};

/** The texts of fields in the document of the Connect API. */
export const CONNECT_FIELDS: FieldTables = {
  texts: merged(COMMON_TEXTS, CONNECT_TEXTS, CONNECT_COMPONENT_TEXTS, AGENT_QUOTA_TEXTS),
  examples: merged(COMMON_EXAMPLES, CONNECT_EXAMPLES, AGENT_QUOTA_EXAMPLES),
};
