/** The moment at which a call ends, with all that belongs to it. */
export class Deadline {
  #end;

  /** @param {number} millis how long from now */
  constructor(millis) {
    this.#end = performance.now() + millis;
  }

  /** How long there is left, 0 at least. */
  get leftMillis() {
    return Math.max(0, this.#end - performance.now());
  }

  /** A part of this time that ends with it at the latest. */
  within(millis) {
    return new Deadline(Math.min(millis, this.leftMillis));
  }
}
