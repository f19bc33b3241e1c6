import { lazy, Suspense } from "react";

import type { CodeDiffProps } from "./code-diff-view.tsx";
import { CodeLoading } from "./code-editor.tsx";

const View = lazy(async () => ({ default: (await import("./code-diff-view.tsx")).CodeDiffView }));

/** What changed from one text to another, line by line. CodeMirror is loaded once the first one is shown. */
export function CodeDiff(props: CodeDiffProps) {
  return (
    <Suspense fallback={<CodeLoading />}>
      <View {...props} />
    </Suspense>
  );
}
