import { z } from "zod";

import { merge, type Schema, trimmed, when } from "./merge.ts";

/** The texts that are read as true or false, in any case. */
const FLAGS = "true false 1 0 yes no on off y n enabled disabled";

/** Rules of `src/domain/timer-prop.ts` and of refinements, which zod leaves out of a JSON Schema. */
const TIMER: Schema = {
  oneOf: [
    {
      required: ["cron"],
      properties: {
        cron: { type: "string", pattern: "^\\s*\\S+(\\s+\\S+){4,5}\\s*$" },
        interval_seconds: { type: "null" },
      },
    },
    {
      required: ["interval_seconds"],
      properties: {
        interval_seconds: { type: "integer", minimum: 15, maximum: Number.MAX_SAFE_INTEGER },
        cron: { type: "null" },
      },
    },
  ],
};

const TRIGGER: Schema = {
  description: "The trigger of a run, beside the events that the workflow is subscribed to",
  properties: {
    type: { description: "timer needs either cron or interval_seconds" },
    cron: { description: "An expression of five or six fields", examples: ["0 9 * * 1-5"] },
    interval_seconds: { description: "Seconds between two runs, at least 15" },
    timezone: {
      description: "The time zone of cron; UTC without one",
      examples: ["Europe/Berlin"],
    },
  },
  ...when({ properties: { type: { const: "timer" } } }, TIMER),
};

const STEP: Schema = {
  properties: {
    name: {
      description: "Expressions and later steps read its exports at steps.<name>",
      not: { enum: ["trigger", "__proto__"] },
    },
    component_code: { description: "Inline code: a module that exports an action or a function" },
    component_id: { description: "Id of a saved component", pattern: "^sc_" },
    key: { description: "Key of a component, the owner's or of the registry" },
    props: {
      description:
        "Values of the props, which may hold {{ expressions }}; or the JSON text of them",
      anyOf: null,
      type: ["object", "string", "null"],
      pattern: "^[ \\t\\r\\n]*\\{[\\s\\S]*\\}[ \\t\\r\\n]*$",
    },
    account: {
      description: "Account for each app prop that has none of its own",
      pattern: "^apn_",
    },
    retries: { description: "The number of retries of a failed step, and the seconds before each" },
  },
  oneOf: ["component_code", "component_id", "key"].map((field) => ({
    required: [field],
    properties: { [field]: { type: "string" } },
  })),
};

const WORKFLOW: Schema = {
  title: "Workflow",
  description: "A workflow of Wellspring, as a file that `npm run workflows:deploy` deploys",
  properties: {
    $schema: { description: "Names this schema for editors; ignored" },
    owner_id: {
      description: "User or workspace that owns it; without one, --owner names it",
      type: "string",
      pattern: "^[uo]_",
    },
    name: {
      description: "Updates the owner's workflow of the same name, or creates one",
      // The length is that of the trimmed name.
      minLength: null,
      maxLength: null,
      pattern: trimmed(256),
    },
    trigger: TRIGGER,
    steps: {
      description: "Executed one after the other; each has a unique name",
      items: STEP,
    },
    active: {
      description: "false: it is deployed, but nothing triggers it",
      default: true,
      pattern: `^(${FLAGS.split(" ").map(inAnyCase).join("|")})$`,
    },
  },
};

/** The JSON Schema of a workflow file: the fields of the API's, and the rules that JSON Schema can express. */
export async function workflowSchema(): Promise<Schema> {
  const { NewWorkflowFields } = await import("#worker/http/workflow-body.ts");
  const { Owner } = await import("#worker/http/admin/owner.ts");
  const { $schema, ...fields } = NewWorkflowFields;
  const File = z.object({ $schema, owner_id: Owner.optional(), ...fields });
  const { $schema: dialect, ...generated } = JSON.parse(
    JSON.stringify(z.toJSONSchema(File, { io: "input", unrepresentable: "any" })),
  );
  return merge({ $schema: dialect, title: "", description: "", ...generated }, WORKFLOW);
}

function inAnyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}
