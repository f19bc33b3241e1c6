/** A reason not to start that the operator can fix. Any other error is a bug. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
