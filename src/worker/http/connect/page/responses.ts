import type { Context } from "hono";

import type { Id } from "#domain/ids.ts";
import type { Connection } from "#services/connect/connect-account.ts";
import { type Bearer, type DeadLink, type Link, productOf } from "#services/connect/link.ts";

import type { AppEnv } from "../../env.ts";
import { authorizeAt, type Door, pageAt } from "./doors.ts";
import { type Page, sendPage } from "./layout.ts";
import {
  connectedView,
  deadEndView,
  type FieldView,
  type FormView,
  formView,
  leavingView,
  type Parties,
  signInView,
} from "./views.ts";

type Sent = Promise<Response>;

/** The page for an app: its form, or the link to its provider. `typed`: the fields of the refused form. */
export function sendForm(
  c: Context<AppEnv>,
  { link, door }: { link: Link; door: Door },
  { typed = new Map(), refused }: { typed?: Map<string, string>; refused?: Refused } = {},
): Sent {
  const parties = partiesOf(link);
  const { data, ...frame } = frameOf(link, door);
  const fields = fieldsOf(link, typed, refused?.problems ?? new Map());
  const view = { fields, problem: refused?.refusal, isFramed: door.isFramed };
  const page = link.signIn
    ? signInPage(parties, door, view)
    : { main: formView(parties, { ...view, action: pageAt(door) }) };
  return sendPage(c, {
    ...frame,
    title: `Connect ${parties.app} to ${parties.product}`,
    status: refused === undefined ? 200 : 422,
    main: page.main,
    data: { ...data, ...page.data },
  });
}

function signInPage(
  parties: Parties,
  door: Door,
  view: Omit<FormView, "action">,
): Pick<Page, "data" | "main"> {
  return {
    main: signInView(parties, { ...view, action: authorizeAt(door) }),
    data: {
      status: `/connect/${encodeURIComponent(door.token)}/status`,
      waiting: `Continue in the window of ${parties.app} that has opened.`,
      closed: `The window of ${parties.app} was closed. You can open it again.`,
    },
  };
}

/** The fields of a form, with the text of the refused form. */
export function fieldsOf(
  { fields }: Pick<Link, "fields">,
  typed: Map<string, string>,
  problems: Map<string, string>,
): FieldView[] {
  return fields.map((field) => ({
    ...field,
    value: typed.get(field.name) ?? field.default ?? "",
    problem: problems.get(field.name),
  }));
}

type Refused = Pick<Extract<Connection, { ok: false }>, "problems" | "refusal">;

/** The page that confirms a connected account, and redirects to `next` at once. */
export function sendConnected(
  c: Context<AppEnv>,
  { link, door }: { link: Link; door: Door },
  { accountId, next }: { accountId: Id<"account">; next: string | undefined },
): Sent {
  const parties = partiesOf(link);
  const { data, ...frame } = frameOf(link, door);
  return sendPage(c, {
    ...frame,
    title: `${link.app.name} is connected`,
    main: connectedView(parties, next),
    // Not a redirect: the policy for forms would have to allow it, and all targets of the customer's redirects.
    next,
    data: { ...data, account: accountId },
  });
}

/** The page with the reason of a failure, and a link back if there is one. */
export function sendDeadEnd(
  c: Context<AppEnv>,
  { link, door }: { link: DeadLink | Link | undefined; door: Door },
  { words, retry }: { words: string; retry?: string | undefined },
): Sent {
  const { data, ...frame } = frameOf(link, door);
  return sendPage(c, {
    ...frame,
    title: "Nothing was connected",
    status: link?.bearer ? 409 : 404,
    main: deadEndView({
      heading: "Nothing was connected",
      words,
      retry,
      next: link?.bearer && backTo(link.bearer, door),
      support: link?.bearer?.project.supportEmail ?? null,
    }),
    data: { ...data, error: words },
  });
}

function backTo(bearer: Bearer, door: Door): { url: string; product: string } | undefined {
  const { errorRedirectUri: url } = bearer.token;
  return isOver(door) || url === null ? undefined : { url, product: productOf(bearer) };
}

/**
 * The page that redirects to the provider: with a redirect, the policy for forms would have to allow all targets of the
 * provider.
 */
export function sendLeaving(
  c: Context<AppEnv>,
  { link, door }: { link: Link; door: Door },
  url: string,
): Sent {
  const { data, ...frame } = frameOf(link, door);
  const { name } = link.app;
  return sendPage(c, {
    ...frame,
    title: `On to ${name}`,
    main: leavingView({ app: name }, url),
    next: url,
    data,
  });
}

/** Redirect to a URL that was checked when it was stored. */
export function redirected(c: Context<AppEnv>, url: string): Response {
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  return c.redirect(url, 303);
}

/** The browser's target once its account is connected; undefined if the customer's page is still open below. */
export function nextOf({ bearer }: Link, door: Door): string | undefined {
  return isOver(door) ? undefined : (bearer.token.successRedirectUri ?? undefined);
}

/** Whether the customer's page is still open below. */
function isOver({ isFramed, isPopup }: Door): boolean {
  return isFramed || isPopup;
}

function frameOf(link: DeadLink | Link | undefined, door: Door) {
  const origins = link?.bearer?.token.allowedOrigins ?? [];
  const frames: Page["frames"] = origins.length === 0 && door.isFramed ? "any" : origins;
  return {
    isFramed: door.isFramed,
    frames,
    data: {
      origins: JSON.stringify(origins),
      "hides-close": door.hidesClose ? "true" : undefined,
    },
  };
}

function partiesOf({ bearer, app }: Link): Parties {
  const { logo, supportEmail } = bearer.project;
  return {
    product: productOf(bearer),
    productLogo: logo,
    support: supportEmail,
    app: app.name,
    appLogo: app.imgSrc.startsWith("data:image/") ? app.imgSrc : null,
  };
}
