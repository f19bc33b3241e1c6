/** The progress of a long command. Written to stderr, so that stdout contains only the result. */
export type Progress = { show: (text: string) => void; stop: () => void };

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;

/** Show the current step: a spinner on a terminal, else a line for each change. */
function progress(text: string): Progress {
  return process.stderr.isTTY ? spinner(text) : lines(text);
}

function lines(first: string): Progress {
  writeLine(first);
  return { show: writeLine, stop: () => {} };
}

function writeLine(text: string): void {
  process.stderr.write(`${text} …\n`);
}

function spinner(first: string): Progress {
  let [text, frame] = [first, 0];
  const draw = (): void => {
    frame = (frame + 1) % FRAMES.length;
    process.stderr.write(`\r\u001B[2K${FRAMES[frame]} ${text}`);
  };
  const timer = setInterval(draw, FRAME_MS);
  draw();
  return {
    show: (next) => {
      text = next;
    },
    stop: () => {
      clearInterval(timer);
      process.stderr.write("\r\u001B[2K");
    },
  };
}

/** Run a function with a progress, which ends with it. */
export async function during<T>(text: string, work: (shown: Progress) => Promise<T>): Promise<T> {
  const shown = progress(text);
  try {
    return await work(shown);
  } finally {
    shown.stop();
  }
}
