/** There was no answer at all: no network, or no server. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
    this.name = 'Unreachable'
  }
}
