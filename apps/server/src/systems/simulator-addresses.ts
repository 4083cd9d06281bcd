import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Addresses of simulators by name. */
export type SimulatorAddresses = Readonly<Record<string, string>>

/**
 * Writes down where simulators listen, so that other processes on the data folder find them: the
 * worker that sends mail is not always the process that plays the mail server.
 */
export async function writeSimulatorAddresses(
  dataFolder: string,
  addresses: SimulatorAddresses,
): Promise<void> {
  const file = fileIn(dataFolder)
  await mkdir(dataFolder, { recursive: true })
  await writeFile(`${file}.${process.pid}`, JSON.stringify(addresses), { mode: 0o600 })
  // Whole or not at all, for a concurrent reader.
  await rename(`${file}.${process.pid}`, file)
}

/** What was written down last; nothing if no server ever was. */
export async function readSimulatorAddresses(dataFolder: string): Promise<SimulatorAddresses> {
  try {
    return JSON.parse(await readFile(fileIn(dataFolder), 'utf8')) as SimulatorAddresses
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'simulators.json')
}
