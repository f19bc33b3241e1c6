import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The languages of code on the platform. */
export type CodeLanguage = "js" | "ts" | "json";

/** Colours with contrast in both themes, from the tokens of the page. */
const highlighting = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    color: "var(--text-color-kumo-link)",
  },
  { tag: [tags.string, tags.regexp], color: "var(--text-color-kumo-success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--text-color-kumo-info)" },
  { tag: [tags.comment], color: "var(--text-color-kumo-subtle)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], fontWeight: "500" },
]);

const theme = EditorView.theme({
  "&": { fontSize: "13px", backgroundColor: "transparent", color: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--font-mono, monospace)", caretColor: "currentColor" },
  ".cm-cursor": { borderLeftColor: "currentColor" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--text-color-kumo-subtle)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--color-kumo-tint)" },
  ".cm-collapsedLines": {
    background: "var(--color-kumo-recessed)",
    color: "var(--text-color-kumo-subtle)",
    padding: "2px 8px",
  },
  ".cm-shown-line": { backgroundColor: "var(--color-kumo-warning-tint)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "color-mix(in srgb, currentColor 18%, transparent)" },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--color-kumo-base)",
    color: "inherit",
    border: "1px solid var(--color-kumo-line)",
  },
});

/** The common options of code views: colours, the language, and whether the text can be changed. */
export function codeExtensions(language: CodeLanguage, isReadOnly: boolean): Extension[] {
  return [
    theme,
    syntaxHighlighting(highlighting),
    language === "json" ? json() : javascript({ typescript: language === "ts" }),
    EditorState.readOnly.of(isReadOnly),
    EditorView.lineWrapping,
  ];
}
