import { isObject } from "../../components/props-form/spec.ts";
import { CODE_TEMPLATES } from "./templates.ts";

/** The edited code of this tab. */
export type Draft = { code: string; language: "js" | "ts" };

const KEY = "deploy-draft";

/** The code of this tab, which survives a reload; a template if there is none. */
export function keptDraft(): Draft {
  const { code, language } = keptFields();
  return typeof code === "string" && code.trim() !== ""
    ? { code, language: language === "ts" ? "ts" : "js" }
    : { code: CODE_TEMPLATES[0]?.code ?? "", language: "js" };
}

function keptFields(): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return isObject(kept) ? kept : {};
  } catch {
    return {};
  }
}

export function keepDraft(draft: Draft): void {
  sessionStorage.setItem(KEY, JSON.stringify(draft));
}
