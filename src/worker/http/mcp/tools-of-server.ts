import { z } from "@hono/zod-openapi";

import { MAX_PROGRAM_LENGTH } from "#domain/agent-programs.ts";
import type { Json } from "#domain/json.ts";
import { linkForAgent } from "#services/agents/connect.ts";
import { choicesOfProp, describeAction } from "#services/agents/describe.ts";
import { executeProgram } from "#services/agents/execute.ts";
import { runForAgent } from "#services/agents/run.ts";
import { searchActions } from "#services/agents/search.ts";

import { isFailedRun, presentResult } from "../action-result.ts";
import { DynamicPropsId } from "../connect/components.ts";
import { type Tool, toolOf } from "./tools.ts";

const Action = z.string().min(1).max(250);
const Values = z.record(z.string(), z.custom<Json>());
const text = (description: string) => ({ type: "string", description });
const ACTION = text("Key, as search returns it");

const search = toolOf({
  listing: {
    name: "search",
    description: "Find actions of apps by words for the task, or all of an app.",
    inputSchema: {
      type: "object",
      properties: {
        query: text('Such as "send a message to a channel"'),
        app: text("Slug of an app, such as slack"),
        limit: { type: "integer", minimum: 1, maximum: 20 },
      },
    },
    annotations: { readOnlyHint: true },
  },
  input: z.strictObject({
    query: z.string().max(1000).default(""),
    app: z.string().min(1).max(200).optional(),
    limit: z.int().min(1).max(20).default(5),
  }),
  isUntrusted: true,
  call: ({ agent }, input) => searchActions(agent, input),
});

const describe = toolOf({
  listing: {
    name: "describe",
    description:
      "Get an action's input schema with the user's accounts, and its call in execute. If dynamic, describe again with the current args. With prop: the choices of that prop.",
    inputSchema: {
      type: "object",
      properties: {
        action: ACTION,
        args: { type: "object", description: "Current values" },
        dynamic_props_id: { type: "string" },
        prop: { type: "string" },
        query: text("Narrows choices"),
        page: { type: "integer", minimum: 0 },
      },
      required: ["action"],
    },
    annotations: { readOnlyHint: true },
  },
  input: z.strictObject({
    action: Action,
    args: Values.optional(),
    dynamic_props_id: DynamicPropsId.optional(),
    prop: z.string().min(1).max(200).optional(),
    query: z.string().max(1000).optional(),
    page: z.int().min(0).optional(),
  }),
  isUntrusted: true,
  call: ({ agent }, { dynamic_props_id: dynamicPropsId, prop, ...input }): Promise<object> =>
    prop === undefined
      ? describeAction(agent, { ...input, dynamicPropsId })
      : choicesOfProp(agent, { ...input, prop, dynamicPropsId }),
});

const run = toolOf({
  listing: {
    name: "run",
    description: "Run one action. An account is filled in if the user has only one.",
    inputSchema: {
      type: "object",
      properties: { action: ACTION, args: { type: "object" } },
      required: ["action"],
    },
    annotations: { destructiveHint: true, openWorldHint: true },
  },
  input: z.strictObject({ action: Action, args: Values.default({}) }),
  isUntrusted: true,
  hasFailed: isFailedRun,
  call: async ({ agent, cause }, input) =>
    presentResult(await runForAgent(agent, { ...input, cause })),
});

const connect = toolOf({
  listing: {
    name: "connect",
    description:
      "Get a link that the user opens to connect an account of an app. Show it; never open it.",
    inputSchema: {
      type: "object",
      properties: { app: text("Slug of the app") },
      required: ["app"],
    },
  },
  input: z.strictObject({ app: z.string().min(1).max(200) }),
  isUntrusted: false,
  call: async ({ agent }, { app }) => {
    const { url, expiresAt } = await linkForAgent(agent, app);
    return { url, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
  },
});

const execute = toolOf({
  listing: {
    name: "execute",
    description:
      "Run JavaScript that combines actions, such as `const r = await apps.github.getRepo({name}); return r.id`; calls as describe returns them, or run(action, args). Each returns its value, or throws. No network; console.log is returned. dry_run lists what would run.",
    inputSchema: {
      type: "object",
      properties: { code: { type: "string" }, dry_run: { type: "boolean" } },
      required: ["code"],
    },
    annotations: { destructiveHint: true, openWorldHint: true },
  },
  input: z.strictObject({
    code: z.string().min(1).max(MAX_PROGRAM_LENGTH),
    dry_run: z.boolean().default(false),
  }),
  isUntrusted: true,
  call: ({ agent, cause }, { code, dry_run: isDry }) =>
    executeProgram(agent, { code, isDry, cause }),
  hasFailed: ({ error }) => error !== undefined,
});

/** The fixed tools of an endpoint without apps. */
export const TOOLS: readonly Tool[] = [search, describe, run, connect, execute];
