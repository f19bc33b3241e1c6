import type { CodeProblem } from "../../components/code-editor.tsx";

type Parsed = { event?: { value: unknown }; problem?: CodeProblem };

/** The value of a JSON text, or the position of its error; neither for an empty text. */
export function parseJson(text: string): Parsed {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return { event: { value } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { ...placeOf(message, text), message } };
  }
}

/** The position in the browser's message, else the end of the text. */
function placeOf(message: string, text: string): { line: number; column: number } {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
}
