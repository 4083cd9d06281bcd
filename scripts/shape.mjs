// npm run shape: how large the source files are. The median says little; the share of lines that
// sit in large files is what a reader feels.

import { isTest, sourceFiles } from '../test/architecture/source-files.ts'
import { countLines } from '../test/architecture/source-text.ts'

const LARGE = 400

function report(name, files) {
  const sizes = files
    .map(({ path, text }) => ({ path, lines: countLines(text) }))
    .sort((one, other) => one.lines - other.lines)
  const sum = (some) => some.reduce((total, { lines }) => total + lines, 0)
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0
  const { path, lines } = sizes.at(-1) ?? { path: 'none', lines: 0 }
  const share = (100 * sum(sizes.filter((file) => file.lines > LARGE))) / Math.max(1, sum(sizes))
  console.log(
    `${name}: ${sizes.length} files, ${sum(sizes)} lines, median ${median}, max ${lines} (${path}), ` +
      `${share.toFixed(1)} % of lines in files over ${LARGE}`,
  )
}

const files = sourceFiles()
report(
  'sources',
  files.filter(({ path }) => !isTest(path)),
)
report(
  'tests',
  files.filter(({ path }) => isTest(path)),
)
