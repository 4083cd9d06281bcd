import { buffer } from 'node:stream/consumers'
import { peakMemoryMb } from '@posthorn/system/testing'
import { folderStorage } from '../../storage/folder.ts'
import { openArchive } from '../open.ts'

/**
 * Opens the archives that its arguments name and reads their first thousand files; then says what became of them and how
 * much memory that took, in MB.
 */
const [folder = '', ...keys] = process.argv.slice(2)
const storage = folderStorage(folder)
const before = peakMemoryMb()
const results: Record<string, string> = {}
for (const key of keys) {
  const opened = await openArchive({ storage, key })
  if (opened.kind === 'rejected') {
    results[key] = opened.reason
    continue
  }
  const { archive } = opened
  let good = 0
  for await (const _ of await archive.readCsv()) continue
  for (const name of archive.names().slice(0, 1_000)) {
    good += await archive
      .readFile(name)
      .then(buffer)
      .then(() => 1)
      .catch(() => 0)
  }
  results[key] = `${archive.names().length} files, ${good} read`
  await archive.close()
}
process.stdout.write(JSON.stringify({ results, grownMb: peakMemoryMb() - before }))
