import { env } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";

import { sendJson } from "../support/deploy.ts";
import { type Line, linesOf } from "../support/telemetry.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

test("shows a run of a workflow with its outcome and the error of its step", async () => {
  const body = `if (!steps.trigger.event.body.id) throw new TypeError("no id")`;
  const steps = [{ name: "look", component_code: code(body) }];
  const { url } = await deployWorkflow({ name: "Shown here", steps });
  env.EVENT_LINES = "true";
  onTestFinished(() => {
    delete env.EVENT_LINES;
  });
  const lines: Line[] = [];
  // Runs of other files may still end.
  const shown = () =>
    lines.filter((line) => line.event === "shown_run" && line["name"] === "Shown here");
  await linesOf(
    "silent",
    async () => {
      for (const event of [{ id: 1 }, {}]) await sendJson(url, event);
      await expect.poll(shown).toHaveLength(2);
    },
    lines,
  );
  const failure = { name: "TypeError", message: "no id" };
  expect(shown().find((line) => line["failure"])).toMatchObject({
    name: "Shown here",
    state: "failed",
    failure,
  });
  expect(shown().find((line) => !line["failure"])).toMatchObject({ state: "succeeded" });
});
