import type { Readable } from "node:stream";

/** Maximum characters of held output. */
const MAX_HELD = 200_000;

/** The output of a child process: held back until it is shown, from then on passed on. */
export class HeldOutput {
  readonly #write: (text: string) => void;
  #held = "";
  #isShown = false;

  constructor(streams: readonly (Readable | null)[], write: (text: string) => void) {
    this.#write = write;
    for (const stream of streams)
      stream?.setEncoding("utf8").on("data", (text: string) => {
        if (this.#isShown) write(text);
        else this.#held = (this.#held + text).slice(-MAX_HELD);
      });
  }

  /** Pass on what comes from now on; what was held is dropped. */
  follow(): void {
    this.#isShown = true;
    this.#held = "";
  }

  /** Write what was held. */
  release(): void {
    this.#write(this.#held);
    this.follow();
  }
}
