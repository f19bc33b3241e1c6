import { chosen } from "../component/choice.ts";
import { misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";
import { during } from "../terminal/progress.ts";
import type { Component } from "../wire.ts";

/** Publish a component to the user's own registry. */
export async function publish(
  given: string,
  options: CommandOptions & { license?: string },
): Promise<void> {
  const choice = await chosen(given);
  if ("key" in choice || "component_id" in choice)
    throw misuse(`${given} is neither a file nor a URL`, "publish the file of a component");
  const api = await apiFor(options);
  const body = { ...choice, ...(options.license !== undefined && { license: options.license }) };
  const published = await during("Publishing the component", () =>
    api.data<Component>("POST", "/registry", { body }),
  );
  if (options.json) return json(published);
  line(`Published ${published.name} ${published.version}  ${published.id}`);
}
