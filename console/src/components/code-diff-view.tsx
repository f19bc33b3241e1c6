import { unifiedMergeView } from "@codemirror/merge";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { codeExtensions, type CodeLanguage } from "./code-mirror.ts";

export type CodeDiffProps = {
  label: string;
  before: string;
  after: string;
  language: CodeLanguage;
  maxHeight?: string;
};

/** Unchanged lines around each change that stay visible. */
const CONTEXT_LINES = 3;

/** Runs of unchanged lines longer than this are folded. */
const MIN_FOLDED_LINES = 6;

/** CodeMirror's merge view with the props of `CodeDiff`. */
export function CodeDiffView({
  label,
  before,
  after,
  language,
  maxHeight = "70dvh",
}: CodeDiffProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const view = new EditorView({
      doc: after,
      parent: box.current,
      extensions: [
        lineNumbers(),
        codeExtensions(language, true),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.theme({ ".cm-scroller": { maxHeight, overflow: "auto" } }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          gutter: true,
          collapseUnchanged: { margin: CONTEXT_LINES, minSize: MIN_FOLDED_LINES },
        }),
      ],
    });
    return () => view.destroy();
  }, [label, before, after, language, maxHeight]);
  return (
    <div
      ref={box}
      className="min-w-0 overflow-hidden rounded-lg bg-kumo-base ring ring-kumo-line"
    />
  );
}
