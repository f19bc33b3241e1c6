const PARENT_POLL_MS = 200;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C signals npm as well, which passes it on: so soon after the first, a signal is the same one. */
const REPEAT_MS = 500;

/**
 * Call `end` once: on SIGINT or SIGTERM, and when the parent process is gone. That is the script at the other end of
 * our channel, or npm, which takes nobody along when it is killed. A second signal calls `endAtOnce`. The returned function
 * takes the signals from all others who listen for them: Miniflare would end the process at the first.
 */
export function whenAskedToEnd(end: () => Promise<void>, endAtOnce: () => void): () => void {
  let beganMs: number | undefined;
  const endOnce = () => {
    if (beganMs !== undefined) return;
    beganMs = Date.now();
    void end();
  };
  const signalled = () => {
    if (beganMs !== undefined && Date.now() - beganMs > REPEAT_MS) endAtOnce();
    else endOnce();
  };
  for (const signal of SIGNALS) process.on(signal, signalled);
  process.on("disconnect", endOnce);
  // Set by the npm script: when we come to look at `process.ppid` for the first time, npm may be gone already.
  const npm = Number(process.env["NPM_PID"]);
  if (npm > 0) watchParent(npm, endOnce);
  return () => {
    for (const signal of SIGNALS)
      for (const listener of process.listeners(signal))
        if (listener !== signalled) process.off(signal, listener);
  };
}

function watchParent(parent: number, onEnd: () => void): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onEnd();
  }, PARENT_POLL_MS);
  watch.unref();
}
