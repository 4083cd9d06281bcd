import { spawn } from 'node:child_process'
import { dirname } from 'node:path'

/** Packs each of these neighbouring folders into a file in `to`. */
export async function packFolders(folders, { to, signal }) {
  const args = ['pack', ...folders, '--pack-destination', to, '--ignore-scripts']
  // Beside them, where no workspace and no .npmrc of a project is found.
  const child = spawn('npm', args, {
    cwd: dirname(folders[0]),
    shell: process.platform === 'win32',
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = []
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve(errors.push(error.message)))
    child.once('close', resolve)
  })
  if (status !== 0) throw new Error(`npm pack failed: ${errors.join('')}`)
}
