const PARENT_POLL_MS = 200;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C also signals npm, which forwards the signal: a second one this soon is the same. */
const REPEAT_MS = 500;

/**
 * Call `end` once: on SIGINT or SIGTERM, and when the parent process has exited. That is the script at the other end of
 * our channel, or npm, which ends no child process when it is killed. A second signal calls `endAtOnce`. The returned
 * function removes all other listeners for the signals: Miniflare would end the process at the first.
 */
export function onTermination(end: () => Promise<void>, endAtOnce: () => void): () => void {
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
  // Set by the npm script: at our first read of `process.ppid`, npm may have exited already.
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
