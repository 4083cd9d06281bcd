import { posix } from 'node:path'
import { isTest, type SourceFile } from './source-files.ts'

/** More source files than this in one folder are a heap; tests are not counted. */
const MOST_FILES = 20

/** More than about a dozen flat files hide the folders of a `src`. */
const MOST_FLAT = 13

/** Folders with too many source files, sorted. */
export function findCrowdedFolders(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !isTest(path))
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([folder, inside]) => inside.length > mostOf(folder))
    .map(([folder]) => folder)
    .sort()
}

function mostOf(folder: string): number {
  return posix.basename(folder) === 'src' ? MOST_FLAT : MOST_FILES
}
