import { fork } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

/** How `npm start` runs the server; for processes whose memory is measured. */
export const AS_STARTED: string[] = ['--max-semi-space-size=16', '--heap-growing-percent=50']

/** A process of a benchmark, until it is disposed of. */
export interface Child<Said> extends AsyncDisposable {
  /** What it said first. */
  readonly said: Said
  tell(order: string): void
  /** Sends it a message and returns the answer. */
  ask<Answer>(question: string): Promise<Answer>
}

export interface ChildOptions<Event> {
  /** Of Node. */
  readonly flags?: string[]
  /** Hears what the child says unasked, as `{ event }`. */
  onEvent?(event: Event): void
}

/** Starts a script that says something once it is ready, and ends when it is let go of. */
export async function startChild<Said, Event = never>(
  script: URL,
  args: readonly string[] = [],
  { flags = [], onEvent }: ChildOptions<Event> = {},
): Promise<Child<Said>> {
  const child = fork(script, args, { execArgv: flags })
  const exited = once(child, 'exit')
  let heard = Promise.withResolvers<unknown>()
  child.on('message', (message) => {
    if (typeof message === 'object' && 'event' in message) onEvent?.(message.event as Event)
    else heard.resolve(message)
  })
  const hear = async <Message>() => {
    const message = await Promise.race([heard.promise, exited.then(() => undefined)])
    if (message === undefined) throw new Error(`${basename(script.pathname)} ended by itself`)
    return message as Message
  }
  return {
    said: await hear<Said>(),
    tell: (order) => void child.send(order),
    ask<Answer>(question: string) {
      heard = Promise.withResolvers<unknown>()
      child.send(question)
      return hear<Answer>()
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
