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

/** Starts a script that says something once it is ready, and ends when it is let go of. */
export async function startChild<Said>(
  script: URL,
  args: readonly string[] = [],
  flags: string[] = [],
): Promise<Child<Said>> {
  const child = fork(script, args, { execArgv: flags })
  const exited = once(child, 'exit')
  const hear = async <Message>() => {
    const message = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
    if (!message) throw new Error(`${basename(script.pathname)} ended by itself`)
    return message[0] as Message
  }
  return {
    said: await hear<Said>(),
    tell: (order) => void child.send(order),
    ask<Answer>(question: string) {
      const answer = hear<Answer>()
      child.send(question)
      return answer
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
