import { CODE_TEMPLATES } from "./templates.ts";

/** Code that is written in this tab. */
export type Draft = { code: string; language: "js" | "ts" };

const KEY = "deploy-draft";

/** The code of this tab, which a reload must not lose; a template where there is none. */
export function keptDraft(): Draft {
  const fresh: Draft = { code: CODE_TEMPLATES[0]?.code ?? "", language: "js" };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (typeof kept !== "object" || kept === null || !("code" in kept)) return fresh;
    const { code } = kept;
    if (typeof code !== "string" || code.trim() === "") return fresh;
    return { code, language: "language" in kept && kept.language === "ts" ? "ts" : "js" };
  } catch {
    return fresh;
  }
}

export function keepDraft(draft: Draft): void {
  sessionStorage.setItem(KEY, JSON.stringify(draft));
}
