const CTRL_C = "\u0003";

/** Call a function for each pressed key, if there is a terminal. Returns a function that stops this. */
export function onKeys(actions: Record<string, () => void>): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const pressed = (text: string): void => {
    for (const key of text) actions[key === CTRL_C ? "q" : key]?.();
  };
  stdin.setRawMode(true).setEncoding("utf8").on("data", pressed).on("error", ignore).resume();
  return () => {
    stdin.off("data", pressed).setRawMode(false).pause();
  };
}

/** Reading a closed terminal fails: its signal ends the command. */
function ignore(): void {}
