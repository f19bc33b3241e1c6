import { useEffect, useState } from "react";

import { isObject } from "../../components/props-form/spec.ts";
import { CODE_TEMPLATES } from "./templates.ts";

/** The edited code of this tab. */
export type Draft = { code: string; language: "js" | "ts" };

const KEY = "deploy-draft";

/** The code of this tab, which a reload must not lose; where there is none, the code that was built, or a template. */
export function useDraft(built: string | undefined): {
  draft: Draft;
  setDraft: (draft: Draft) => void;
} {
  const [written, setDraft] = useState(keptDraft);
  useEffect(() => {
    if (written) sessionStorage.setItem(KEY, JSON.stringify(written));
  }, [written]);
  return { draft: written ?? draftOf(built), setDraft };
}

function draftOf(built: string | undefined): Draft {
  return built === undefined
    ? { code: CODE_TEMPLATES[0]?.code ?? "", language: "js" }
    : { code: built, language: "ts" };
}

function keptDraft(): Draft | undefined {
  const { code, language } = keptFields();
  return typeof code === "string" && code.trim() !== ""
    ? { code, language: language === "ts" ? "ts" : "js" }
    : undefined;
}

function keptFields(): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return isObject(kept) ? kept : {};
  } catch {
    return {};
  }
}
