/** A reason not to start that the operator can fix. Anything else thrown is a bug. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
