import { lazy, Suspense } from "react";

import type { CodeDiffProps } from "./code-diff-view.tsx";
import { CodeLoading } from "./code-editor.tsx";

const View = lazy(async () => ({ default: (await import("./code-diff-view.tsx")).CodeDiffView }));

/** The differences of two texts, line by line. CodeMirror is loaded with the first one. */
export function CodeDiff(props: CodeDiffProps) {
  return (
    <Suspense fallback={<CodeLoading />}>
      <View {...props} />
    </Suspense>
  );
}
