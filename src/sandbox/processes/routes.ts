/** Which of the two processes of each place serves it: while one takes the other's place, both run. */
class Routes {
  readonly #sides = new Map<number, 0 | 1>();

  /** Have a place served by one of its processes from now on. */
  set(place: number, side: 0 | 1): void {
    this.#sides.set(place, side);
  }

  /** The side that serves a place now. */
  sideOf(place: number): 0 | 1 {
    return this.#sides.get(place) ?? 0;
  }
}

/** One for the whole process: its supervisor sets it, and every object follows it. */
export const routes = new Routes();
