import { type Diagnostic, forceLinting, linter, lintGutter } from "@codemirror/lint";
import { Compartment, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useEffectEvent, useRef } from "react";

import { codeExtensions, type CodeLanguage } from "./code-mirror.ts";

/** An error in the code, at a line counted from 1 and a column counted from 0. */
export type CodeProblem = {
  line: number;
  column?: number;
  message: string;
  severity?: "error" | "warning";
};

export type CodeEditorProps = {
  /** The name of the editor for screen readers. */
  label: string;
  value: string;
  language: CodeLanguage;
  /** Called for each change; without it the code is read-only. */
  onChange?: (value: string) => void;
  problems?: CodeProblem[];
  /** Marked and scrolled to, counted from 1. */
  line?: number;
  maxHeight?: string;
};

/** CodeMirror with the props of `CodeEditor`. */
export function CodeEditorView({
  label,
  value,
  language,
  onChange,
  problems,
  line,
  maxHeight = "70dvh",
}: CodeEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const lints = useRef(new Compartment());
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const firstText = useEffectEvent(() => value);
  const isReadOnly = onChange === undefined;
  const mark = useEffectEvent(() => {
    const view = editor.current;
    if (!view) return;
    view.dispatch({ effects: lints.current.reconfigure([marks(problems), shownLine(line)]) });
    forceLinting(view);
    if (line !== undefined) reveal(view, line);
  });
  useEffect(() => {
    if (!box.current) return;
    const view = new EditorView({
      doc: firstText(),
      parent: box.current,
      extensions: [
        basicSetup,
        codeExtensions(language, isReadOnly),
        lints.current.of([]),
        // The index makes it focusable, even if it is read-only.
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.theme({ ".cm-scroller": { maxHeight, overflow: "auto" } }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    });
    editor.current = view;
    mark();
    return () => view.destroy();
  }, [language, isReadOnly, label, maxHeight]);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    mark();
  }, [value]);
  const marked = useRef<unknown>(undefined);
  useEffect(() => {
    const next = `${line}${JSON.stringify(problems)}`;
    if (marked.current === next) return;
    marked.current = next;
    mark();
  }, [problems, line]);
  return (
    <div
      ref={box}
      className="min-w-0 overflow-hidden rounded-lg bg-kumo-base ring ring-kumo-line focus-within:ring-2 focus-within:ring-kumo-focus"
    />
  );
}

function marks(problems: CodeProblem[] = []): Extension {
  if (problems.length === 0) return [];
  const at = ({ state: { doc } }: EditorView) =>
    problems.map((problem) => diagnosticOf(problem, doc));
  return [lintGutter(), linter(at, { delay: 0 })];
}

function diagnosticOf({ line, column = 0, message, severity }: CodeProblem, doc: Text): Diagnostic {
  const { from: start, to } = doc.line(clamp(line, doc));
  const from = Math.min(start + column, to);
  return { from, to: Math.max(from, to), message, severity: severity ?? "error" };
}

function shownLine(line: number | undefined): Extension {
  if (line === undefined) return [];
  return EditorView.decorations.of(({ state: { doc } }) =>
    Decoration.set(
      Decoration.line({ class: "cm-shown-line" }).range(doc.line(clamp(line, doc)).from),
    ),
  );
}

function reveal(view: EditorView, line: number): void {
  const { doc } = view.state;
  const { from } = doc.line(clamp(line, doc));
  view.dispatch({
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from, { y: "center" }),
  });
}

function clamp(line: number, doc: Text): number {
  return Math.min(Math.max(1, line), doc.lines);
}
