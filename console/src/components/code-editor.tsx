import { Loader } from "@cloudflare/kumo";
import { lazy, Suspense } from "react";

import type { CodeEditorProps } from "./code-editor-view.tsx";

export type { CodeProblem } from "./code-editor-view.tsx";
export type { CodeLanguage } from "./code-mirror.ts";

const View = lazy(async () => ({
  default: (await import("./code-editor-view.tsx")).CodeEditorView,
}));

/** An editor of JavaScript, TypeScript or JSON, or a view of it. CodeMirror is loaded once the first one is shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<CodeLoading />}>
      <View {...props} />
    </Suspense>
  );
}

/** The placeholder of code. */
export function CodeLoading() {
  return (
    <output
      aria-label="Loading the editor"
      className="grid h-40 place-items-center rounded-lg bg-kumo-base ring ring-kumo-line"
    >
      <Loader />
    </output>
  );
}
