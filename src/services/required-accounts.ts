import { knownOf } from "#db/connect/apps.ts";
import { chosenAccounts } from "#domain/accounts.ts";
import { appOf, authReads, needsAccount } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";
import { mergedSettings } from "#domain/connect/catalogue.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";
import { mayBeAbsent, type Values } from "#domain/props.ts";

import type { AppContext } from "./context.ts";

/** Maximum app props of a component that are checked. */
const MAX_APPS = 90;

/**
 * Refuse a configuration that omits an account of an app with credentials: the app's settings require them, or the
 * component's code reads them. A prop that may be absent needs none.
 */
export async function requireAccounts(
  ctx: Pick<AppContext, "catalogue" | "db">,
  { props, values }: { props: readonly PropDefinition[]; values: Values },
): Promise<void> {
  const chosen = new Set(chosenAccounts(props, values).map(({ prop }) => prop));
  const left = props
    .filter((prop) => prop.type === "app" && !mayBeAbsent(prop) && !chosen.has(prop.name))
    .flatMap((prop) => (typeof prop["app"] === "string" ? [{ prop, app: prop["app"] }] : []))
    .slice(0, MAX_APPS);
  if (left.length === 0) return;
  const [{ settings }, catalogue] = await Promise.all([
    knownOf(ctx.db, [...new Set(left.map(({ app }) => app))]),
    ctx.catalogue(),
  ]);
  const issues = left.flatMap(({ prop, app }) => {
    const stored = settings.find(({ slug }) => slug === app);
    const operatorSettings = stored && AppSettings.parse(stored.settings);
    const resolvedApp = appOf(
      app,
      authReads(prop),
      mergedSettings(catalogue.get(app)?.settings, operatorSettings),
    );
    if (!needsAccount(resolvedApp)) return [];
    return [{ path: `configured_props.${prop.name}`, message: `an account of ${app} is required` }];
  });
  if (issues.length > 0) throw invalidInput(issues);
}
