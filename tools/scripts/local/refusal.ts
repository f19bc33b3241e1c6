/** A reason not to start that whoever started us can do something about. Anything else thrown is a bug. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
