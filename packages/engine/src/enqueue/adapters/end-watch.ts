/**
 * What is known of the end of one transaction, for libraries that say it too late: between the moment
 * when they send COMMIT and the one when they know of its answer, a statement would be stored
 * although nothing holds it.
 */
export interface EndWatch {
  /** COMMIT or ROLLBACK was handed to the connection. */
  tell(answer: PromiseLike<unknown>): void
  isRequested(): boolean
  /** Calls back when Postgres has answered. */
  onEnd(ended: () => void): void
}

export function createEndWatch(): EndWatch {
  const end = Promise.withResolvers<void>()
  let requested = false
  return {
    tell(answer) {
      requested = true
      // An answer that is an error counts too: it may have committed, and a look is cheap.
      answer.then(
        () => end.resolve(),
        () => end.resolve(),
      )
    },
    isRequested: () => requested,
    onEnd: (ended) => void end.promise.then(ended),
  }
}
