import { html } from "hono/html";

import type { AppField } from "#domain/apps.ts";

import type { Markup } from "./layout.ts";

/** The product and the app that a page shows. */
export type Parties = {
  /** The product's name for its users. */
  product: string;
  /** A data URL. */
  productLogo: string | null;
  support: string | null;
  app: string;
  /** A data URL; the host of another image would see the users of each app. */
  appLogo: string | null;
};

/** One field of a form, with its text and its error. Secrets are never sent back. */
export type FieldView = AppField & { value: string; problem: string | undefined };

/** The fields of a form, and its target. `problem`: the reason of a refusal as a whole. */
export type FormView = {
  action: string;
  fields: FieldView[];
  problem: string | undefined;
  isFramed: boolean;
};

/** The prefix of the names of form fields, so that an app's field never collides with one of the platform. */
export const FIELD_PREFIX = "field.";

/** The form for an app's keys. */
export function formView(parties: Parties, { action, fields, problem }: FormView): Markup {
  const { app, product } = parties;
  return html`${headOf(parties)}
    <p class="lead">${product} keeps what you enter encrypted, and uses it for you alone.</p>
    ${alertOf(problem)}
    <form method="post" action="${action}" autocomplete="off">
      ${fields.map((field, index) => fieldOf(field, `field-${index}`))}
      <button type="submit" data-busy="Connecting…">Connect ${app}</button>
    </form>
    ${supportOf(parties.support)}`;
}

/** The link to an app's provider, in a window of its own if this page is a dialog over another. */
export function signInView(parties: Parties, view: FormView): Markup {
  const { action, fields, problem, isFramed } = view;
  const { app, product } = parties;
  const target = isFramed ? html`target="wellspring-connect" rel="opener"` : "";
  return html`<div id="question">
      ${headOf(parties)}
      <p class="lead">You sign in at ${app}, and decide there what ${product} may do.</p>
      ${alertOf(problem, true)}
      <p id="status" class="lead" role="status" hidden></p>
      <form id="sign-in" method="post" action="${action}" autocomplete="off" ${target}>
        ${fields.map((field, index) => fieldOf(field, `field-${index}`))}
        <button type="submit" data-busy="Continue to ${app}">Continue to ${app}</button>
      </form>
      ${supportOf(parties.support)}
    </div>
    <div id="done" hidden>${connectedView(parties)}</div>`;
}

/** A redirect to an app's provider. */
export function leavingView({ app }: Pick<Parties, "app">, url: string): Markup {
  return html`<h1>On to ${app}</h1>
    <p class="lead"><a href="${url}">Continue to ${app}</a></p>`;
}

/** An account is connected. `next`: the browser's target. */
export function connectedView(parties: Parties, next?: string): Markup {
  const goOn =
    next === undefined
      ? html`<p class="lead">You can close this window.</p>`
      : html`<p class="lead"><a href="${next}">Back to ${parties.product}</a></p>`;
  return html`${closeButton()}
    <div class="marks"><span class="mark done" aria-hidden="true">✓</span></div>
    <h1 tabindex="-1">${parties.app} is connected</h1>
    ${goOn}`;
}

/** A failure, with a button to start again if that helps. */
export function deadEndView({
  heading,
  words,
  retry,
  next,
  support,
}: {
  heading: string;
  words: string;
  retry?: string | undefined;
  next: { url: string; product: string } | undefined;
  support: string | null;
}): Markup {
  return html`${closeButton()}
    <div class="marks"><span class="mark failed" aria-hidden="true">!</span></div>
    <h1>${heading}</h1>
    <p class="lead" id="alert" role="alert" tabindex="-1">${words}</p>
    ${retry === undefined ? "" : html`<a class="button" href="${retry}">Try again</a>`}
    ${next ? html`<a class="button plain" href="${next.url}">Back to ${next.product}</a>` : ""}
    <button class="plain" type="button" data-close hidden>Close</button>
    ${supportOf(support)}`;
}

function headOf({ app, appLogo, product, productLogo }: Parties): Markup {
  return html`${closeButton()}
    <div class="marks">
      ${markOf(product, productLogo)}<span aria-hidden="true">⇄</span>${markOf(app, appLogo)}
    </div>
    <h1>Connect ${app} to ${product}</h1>`;
}

function markOf(name: string, logo: string | null): Markup {
  if (logo !== null) return html`<img class="mark" src="${logo}" alt="" />`;
  return html`<span class="mark" aria-hidden="true">${Array.from(name)[0]?.toUpperCase()}</span>`;
}

function closeButton(): Markup {
  return html`<button class="close" type="button" data-close hidden aria-label="Close">×</button>`;
}

function alertOf(problem: string | undefined, isKept = false): Markup | string {
  if (problem !== undefined)
    return html`<p class="alert" id="alert" role="alert" tabindex="-1">${problem}</p>`;
  return isKept ? html`<p class="alert" id="alert" role="alert" tabindex="-1" hidden></p>` : "";
}

function fieldOf(field: FieldView, id: string): Markup {
  const notes = notesOf(field, id);
  return html`<div class="field">
    <label for="${id}">${field.label}${field.optional ? html` <span>(optional)</span>` : ""}</label>
    <input
      id="${id}"
      name="${FIELD_PREFIX}${field.name}"
      ${field.secret ? SECRET : html`type="text" autocomplete="off" value="${field.value}"`}
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      maxlength="10000"
      placeholder="${field.placeholder}"
      ${field.optional || (field.secret && field.default) ? "" : "required"}
      ${field.problem ? html`aria-invalid="true"` : ""}
      ${notes.length > 0 ? html`aria-describedby="${notes.map((note) => note.id).join(" ")}"` : ""}
    />
    ${notes.map((note) => html`<p class="${note.kind}" id="${note.id}">${note.text}</p>`)}
  </div>`;
}

function notesOf({ description, problem }: FieldView, id: string) {
  return [
    { kind: "hint", id: `${id}-hint`, text: description },
    { kind: "problem", id: `${id}-problem`, text: problem },
  ].filter(({ text }) => Boolean(text));
}

const SECRET = html`type="password" autocomplete="new-password"`;

function supportOf(support: string | null): Markup | string {
  if (support === null) return "";
  return html`<p class="foot">Questions? <a href="mailto:${support}">${support}</a></p>`;
}
