/** A short message: a confirmation or an error. */
type Toast = { variant: "success" | "error"; title: string };

const waiting: Toast[] = [];
const listeners = new Set<() => void>();

/** Show a toast; the first one waits until the toaster is loaded. */
export function showToast(toast: Toast): void {
  waiting.push(toast);
  for (const listener of listeners) listener();
}

/** Return and clear the waiting toasts. */
export function takeToasts(): Toast[] {
  return waiting.splice(0);
}

/** Whether any toast waits. */
export function hasToasts(): boolean {
  return waiting.length > 0;
}

/** Call a listener with each toast. Returns the unsubscribe function. */
export function onToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
