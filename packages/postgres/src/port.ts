import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { PostgresServerError } from './errors.ts'

export const LOOPBACK = '127.0.0.1'

/**
 * Below the range from which systems give ports to outgoing connections: a kept port is then not
 * lost to some client while the server is down.
 */
const LOWEST = 20_000
const HIGHEST = 32_000

/** The port kept in the file if it is free, else another one. */
export async function freePort(file: string): Promise<number> {
  const kept = await readPort(file)
  if (kept !== undefined && (await isPortFree(kept))) return kept
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isPortFree(port)) return port
  }
  const details = `No free one was found between ${LOWEST} and ${HIGHEST}.`
  throw new PostgresServerError('POSTGRES_PORT_TAKEN', details)
}

/** The port of the last start. */
export async function readPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: LOOPBACK }, () => probe.close(() => resolve(true)))
  })
}
