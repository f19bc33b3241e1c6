/** An isolate did not return an outcome until long after its deadline. */
export class IsolateTimeout extends Error {
  override readonly name = "IsolateTimeout";

  constructor() {
    super("The isolate did not respond until long after its deadline");
  }
}
