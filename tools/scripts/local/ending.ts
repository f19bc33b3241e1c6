const PARENT_POLL_MS = 200;

/**
 * Call `end` once: on SIGINT or SIGTERM, and when whoever started us is gone. That is the script at the other end of
 * our channel, or npm, which takes nobody along when it is killed.
 */
export function whenAskedToEnd(end: () => Promise<void>): void {
  let isEnding = false;
  const endOnce = () => {
    if (!isEnding) void end();
    isEnding = true;
  };
  for (const event of ["SIGINT", "SIGTERM", "disconnect"] as const) process.on(event, endOnce);
  // Told by the npm script: when we come to look at `process.ppid` for the first time, npm may be gone already.
  const npm = Number(process.env["NPM_PID"]);
  if (npm > 0) watchParent(npm, endOnce);
}

function watchParent(parent: number, onEnd: () => void): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onEnd();
  }, PARENT_POLL_MS);
  watch.unref();
}
