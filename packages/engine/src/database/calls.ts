import { PosthornError } from '../errors.ts'

/**
 * The calls on one transaction handle. They keep the transaction open until the work that makes them has
 * ended; after that the handle takes no call, since its client may be in a stranger's transaction.
 */
export class Calls {
  #running = 0
  #composite = 0
  #isOver = false
  #drained: (() => void) | undefined

  /** Makes a call of one statement. */
  run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isOver) return Promise.reject(new PosthornError('NOT_IN_TRANSACTION', LATE))
    const answer = call()
    // pg gives a stream of COPY back as it is.
    if (typeof (answer as Partial<typeof answer>).then !== 'function') return answer
    this.#running += 1
    answer.then(this.#onSettled, this.#onSettled)
    return answer
  }

  /** Makes a call of several statements: the work cannot end between two of them. */
  runAll<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.run(() => {
      this.#composite += 1
      return call().finally(() => (this.#composite -= 1))
    })
  }

  /** Whether a call of several statements is in flight. */
  get isAmidst(): boolean {
    return this.#composite > 0
  }

  /** Runs the work that makes the calls. It fails if it leaves a call in flight; that is waited for. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    let hasLeft: boolean
    let result: Result
    try {
      result = await work()
    } finally {
      hasLeft = this.#running > 0
      if (hasLeft) await new Promise<void>((resolve) => (this.#drained = resolve))
      this.#isOver = true
    }
    if (hasLeft) throw new PosthornError('CALL_NOT_AWAITED')
    return result
  }

  readonly #onSettled = () => {
    this.#running -= 1
    if (this.#running > 0 || !this.#drained) return
    // At once: whoever waited for this call must not begin another.
    this.#isOver = true
    this.#drained()
  }
}

const LATE = 'the transaction is over: await every call on its tx before its function returns'
