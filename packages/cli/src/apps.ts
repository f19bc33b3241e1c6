import type { Api } from "./api.ts";
import { Failure } from "./failure.ts";
import { Refusal } from "./refusal.ts";
import type { App } from "./wire.ts";

const STATES: Record<App["state"], string> = {
  ready: "ready",
  needs_client: "needs a client",
  needs_settings: "needs settings",
};

/** An app by its slug. */
export async function appNamed(api: Api, slug: string): Promise<App> {
  try {
    return await api.data("GET", `/apps/${encodeURIComponent(slug)}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "not_found") throw error;
    throw new Failure(error.message, { next: "`wellspring apps list` shows existing ones" });
  }
}

/** The state of an app in words. */
export function stateOf({ state, has_own_settings: hasOwn }: App): string {
  return `${STATES[state]}${hasOwn ? ", own settings" : ""}`;
}

/** The steps until users can connect accounts of an app, in order. Empty: it needs no accounts. */
export function stepsOf(app: App): string[] {
  if (app.auth_type === "none") return [];
  return app.auth_type === "keys" ? keySteps(app) : clientSteps(app);
}

function keySteps({ name_slug: slug, guide }: App): string[] {
  return [
    ...(guide ? [`Read how to get a key: ${guide.docs}`] : []),
    `Connect an account: wellspring accounts connect ${slug} --credentials FILE`,
  ];
}

const NO_GUIDE = { create_at: null, docs: null, redirect_field: null, review: null };

function clientSteps(app: App): string[] {
  const { name, name_slug: slug, state, guide, redirect_uri: redirectUri } = app;
  const { create_at: page, docs, redirect_field: field, review } = guide ?? NO_GUIDE;
  const settings = `Set the provider's URLs: PUT /admin/apps/${slug} {"oauth": {"authorize_url": …, "token_url": …}}`;
  return [
    ...(state === "needs_settings" ? [settings] : []),
    `Create an OAuth client at ${page ?? docs ?? name}`,
    `Enter ${redirectUri} as its ${field ?? "redirect URI"}${httpsNote(app)}`,
    ...(review === null ? [] : [`Ask for a review, if it is needed: ${review}`]),
    `Store the client: wellspring apps setup ${slug}`,
    `Connect an account: wellspring accounts connect ${slug}`,
  ];
}

function httpsNote({ guide, redirect_uri: redirectUri }: App): string {
  const isRefused = guide?.https_only === true && redirectUri?.startsWith("http:") === true;
  return isRefused ? "; the provider requires HTTPS: set PUBLIC_URL first" : "";
}
