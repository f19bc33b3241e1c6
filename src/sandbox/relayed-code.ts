import type {
  Call,
  DataStores,
  Evaluation,
  Host,
  Outcome,
  PropRequest,
  Sink,
  UserCode,
} from "./user-code.ts";

/** Code with a changing isolate: each call is relayed to the current one. */
export abstract class RelayedCode implements UserCode {
  describe(onlyIfUnused?: boolean): Promise<Evaluation> {
    return this.relay((code) => code.describe(onlyIfUnused));
  }

  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host): Promise<Evaluation> {
    return this.relay((code) => code.evaluateProps(request, stores, host));
  }

  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    return this.relay((code) => code.invoke(call, host, stores));
  }

  invokeAll(calls: Call[], inOrder: boolean, sink: Sink, stores?: DataStores): Promise<Outcome[]> {
    return this.relay((code) => code.invokeAll(calls, inOrder, sink, stores), calls.length);
  }

  /** Call the code in its current isolate, within the limits of so many events; absent: of one. */
  protected abstract relay<T>(use: (code: UserCode) => Promise<T>, events?: number): Promise<T>;
}
