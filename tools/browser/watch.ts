import type { BrowserContext, ConsoleMessage } from "playwright-core";

/** Faults of a browser's pages: errors on the console, violations of the policy, requests to other hosts. */
export type Watch = {
  /** The faults since the last call. */
  takeFaults: () => string[];
  /** Ignore faults of this kind: a test causes them. */
  expectFault: (pattern: RegExp) => void;
};

/** The page requests the session, and the browser logs a 401 without one as an error. */
const NOBODY_SIGNED_IN = /status of 401 .*\/console\/session\)$/;

/** A browser logs most violations itself; this logs those of every directive alike. */
const LOG_BREACHES = `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  console.error("Policy breached: " + effectiveDirective + " " + blockedURI))`;

/** Watch all pages of a browser, from before they load. They may request this origin only. */
export async function watch(context: BrowserContext, origin: string): Promise<Watch> {
  const all: string[] = [];
  const excused = [NOBODY_SIGNED_IN];
  await context.addInitScript({ content: LOG_BREACHES });
  context.on("request", (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`${origin}/`) || /^(?:data|blob|about):/.test(url);
    if (!isOwn) all.push(`Request to ${url}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") all.push(textOf(message));
  });
  context.on("weberror", (error) => all.push(String(error.error())));
  return {
    takeFaults: () =>
      all.splice(0).filter((fault) => !excused.some((pattern) => pattern.test(fault))),
    expectFault: (pattern) => void excused.push(pattern),
  };
}

function textOf(message: ConsoleMessage): string {
  return `${message.text()} (${message.location().url})`;
}
