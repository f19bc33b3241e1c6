import type { CustomResponse } from "#http/custom-response.ts";

type Caller = { response: CustomResponse | null; answer: (given: CustomResponse | null) => void };

/** The HTTP callers that wait for their runs. They live in memory only: who hung up, or lost us, waits no more. */
export class Answers {
  readonly #callers = new Map<string, Caller>();

  /** Wait for what a run answers: null where it ends, pauses or takes longer than that without an answer. */
  wait(runId: string, ms: number): Promise<CustomResponse | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(runId), ms);
      const answer = (given: CustomResponse | null): void => {
        clearTimeout(timer);
        this.#callers.delete(runId);
        resolve(given);
      };
      this.#callers.set(runId, { response: null, answer });
    });
  }

  /** Note what the caller is to be answered with once the run ends or pauses; the first response counts. */
  offer(runId: string, response: CustomResponse): void {
    const caller = this.#callers.get(runId);
    if (caller) caller.response ??= response;
  }

  /** Answer the caller now. */
  settle(runId: string): void {
    const caller = this.#callers.get(runId);
    caller?.answer(caller.response);
  }

  /** Answer every caller: the workflow is no more. */
  settleAll(): void {
    for (const runId of this.#callers.keys()) this.settle(runId);
  }
}
