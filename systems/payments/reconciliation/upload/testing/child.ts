import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly url: string
  /** The most memory it ever had, in MB. */
  peakMb(): Promise<number>
  /** As `kill -9`: nothing of it gets a chance to clean up. */
  kill(): Promise<void>
}

/** Uploads in a process of their own; dead after the test at the latest. */
export async function startChild(databaseUrl: string): Promise<Child> {
  const child = fork(new URL('./server-process.ts', import.meta.url), {
    env: { ...process.env, CHILD_DATABASE_URL: databaseUrl },
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const said = once(child, 'message').then(([message]) => message as { url: string })
  const first = await Promise.race([said, exited.then(() => undefined)])
  if (first === undefined) throw new Error('the server ended by itself')
  return {
    url: first.url,
    kill,
    async peakMb() {
      const answered = once(child, 'message')
      child.send('memory')
      const [{ maxRssKb }] = (await answered) as [{ maxRssKb: number }]
      return maxRssKb / 1024
    },
  }
}
