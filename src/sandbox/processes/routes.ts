/** The current one of the two processes of each place: while one replaces the other, both run. */
class Routes {
  readonly #sides = new Map<number, 0 | 1>();

  /** Route a place to one of its processes from now on. */
  set(place: number, side: 0 | 1): void {
    this.#sides.set(place, side);
  }

  /** The current side of a place. */
  sideOf(place: number): 0 | 1 {
    return this.#sides.get(place) ?? 0;
  }
}

/** One for the whole process: the supervisor sets it, and every object uses it. */
export const routes = new Routes();
