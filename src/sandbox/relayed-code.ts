import type {
  Answer,
  Call,
  DataStores,
  Host,
  Outcome,
  PropEvaluation,
  Sink,
  UserCode,
} from "./user-code.ts";

/** Code that is not always at the same place: each call is relayed to where it runs now. */
export abstract class RelayedCode implements UserCode {
  describe(onlyIfUnused?: boolean): Promise<Answer> {
    return this.relay((code) => code.describe(onlyIfUnused));
  }

  ask(question: PropEvaluation, stores?: DataStores): Promise<Answer> {
    return this.relay((code) => code.ask(question, stores));
  }

  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    return this.relay((code) => code.invoke(call, host, stores));
  }

  invokeAll(calls: Call[], inOrder: boolean, sink: Sink, stores?: DataStores): Promise<Outcome[]> {
    return this.relay((code) => code.invokeAll(calls, inOrder, sink, stores));
  }

  /** Make a call where the code runs now. */
  protected abstract relay<T>(use: (code: UserCode) => Promise<T>): Promise<T>;
}
