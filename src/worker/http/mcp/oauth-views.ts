import { html } from "hono/html";

import type { Markup } from "../connect/page/layout.ts";

/** The fields that pass an authorization request from page to page. */
export type Carried = Record<string, string>;

/** The first page. It has no session: a page of another site links here, so the browser sends no cookie. */
export function beginView(carried: Carried): Markup {
  return html`<h1>Let an agent act for you</h1>
    <p class="lead">A program requests to use your apps through Wellspring.</p>
    <form method="post" action="/oauth/authorize/consent">
      ${hidden(carried)}
      <button type="submit" data-busy="Continuing…">Continue as the signed-in user</button>
    </form>
    <form method="post" action="/oauth/authorize/consent" autocomplete="off">
      ${hidden(carried)}
      <p class="hint">Or with a link or token from the product that you use:</p>
      <label for="token">Connect token</label>
      <input id="token" name="connect_token" required pattern="\\s*(https?://\\S+/)?ctok_\\S+" />
      <button class="plain" type="submit">Continue with the token</button>
    </form>`;
}

/** The decision on the last page: whether to grant a client its requested access, and for which user. */
export type Consent = {
  carried: Carried;
  client: string;
  /** The target of the client's response: the only verified fact about it. */
  target: string;
  kinds: readonly string[];
  narrowed: readonly string[];
  /** The decider's name. */
  decider: string;
  /** Whether the decider may choose another user for the agent. */
  mayChoose: boolean;
  problem?: string | undefined;
};

const MEANINGS: Record<string, string> = {
  read: "see which actions, accounts and events there are",
  act: "run actions with your accounts, and connect accounts",
  subscribe: "receive events of your accounts, and deploy sources for them",
};

/** The last page. */
export function consentView(consent: Consent): Markup {
  const { carried, client, target, kinds, narrowed, decider, problem } = consent;
  return html`<h1>Let ${client || "a program"} act for you?</h1>
    <p class="lead">
      This is its own name; it receives the response at <strong>${target}</strong>.
    </p>
    ${problem === undefined ? "" : html`<p class="alert" role="alert">${problem}</p>`}
    <form method="post" action="/oauth/authorize/decision" autocomplete="off">
      ${hidden(carried)}
      <p>You decide as ${decider}. It may:</p>
      ${kinds.map(
        (kind) =>
          html`<p>
            <label
              ><input type="checkbox" name="kind" value="${kind}" checked />
              ${MEANINGS[kind]}</label
            >
          </p>`,
      )}
      ${narrowed.length === 0 ? "" : html`<p>Only with ${narrowed.join(", ")}.</p>`}
      <label for="apps">Only these apps <span>(slugs by commas; empty: all)</span></label>
      <input id="apps" name="apps" />
      <label for="accounts">Only these accounts <span>(ids by commas; empty: all)</span></label>
      <input id="accounts" name="accounts" />
      ${consent.mayChoose ? forWhom() : ""}
      <button type="submit" name="decision" value="allow" data-busy="Allowing…">Allow</button>
      <button class="plain" type="submit" name="decision" value="deny" formnovalidate>Deny</button>
    </form>`;
}

function forWhom(): Markup {
  return html`<details>
    <summary>For a user of a project instead of you</summary>
    <label for="project">Project</label><input id="project" name="project" placeholder="proj_…" />
    <label for="user">External user</label><input id="user" name="external_user" />
    <label for="environment">Environment</label>
    <input id="environment" name="environment" value="production" />
  </details>`;
}

export function signInFirstView(carried: Carried): Markup {
  return html`<h1>Sign in first</h1>
    <p class="lead">
      Nobody is signed in here. <a href="/console/" target="_blank" rel="opener">Sign in</a>, then
      come back.
    </p>
    <form method="post" action="/oauth/authorize/consent">
      ${hidden(carried)}
      <button type="submit" data-busy="Continuing…">Continue</button>
    </form>`;
}

/** A request that fails without a response to the client. */
export function refusedView(problem: string): Markup {
  return html`<h1>This does not work</h1>
    <p class="alert" role="alert">${problem}</p>`;
}

export function goingBackView(target: string): Markup {
  return html`<h1>Done</h1>
    <p class="lead">You are being sent back to ${target}.</p>`;
}

function hidden(carried: Carried): Markup[] {
  return Object.entries(carried).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}
