import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const LINES = 10

/** Prints the last words of every process of a run that failed. */
export async function printLogs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue
    const text = await readFile(join(folder, name), 'utf8')
    const last = text.trim().split('\n').slice(-LINES)
    console.log(`\n${name}\n${last.map((line) => line.slice(0, 300)).join('\n')}`)
  }
}
