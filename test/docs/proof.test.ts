import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { seededBugs } from '../../proof/chaos/seeded/bugs.ts'
import { takenOut } from '../../proof/stalls/bugs.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

test('the page of proofs names each bug that can be put in, and each is one line of the sources', async () => {
  const page = await read('docs/proof.md')
  for (const [name, { file, line, becomes }] of Object.entries(seededBugs)) {
    expect(page).toContain(`node proof/chaos/seeded/main.ts ${name} `)
    const source = await read(file)
    expect(source.split(line), `${file}: ${line}`).toHaveLength(2)
    expect(becomes).not.toContain(line)
  }
})

test('and each fix that can be taken out, with the rule that notices it', async () => {
  const page = await read('docs/proof.md')
  for (const [name, { text, rule, changes }] of Object.entries(takenOut)) {
    expect(page).toMatch(new RegExp(`\\| \`${name}\` +\\| ${text} +\\| \`${rule}\``))
    for (const { file, line, becomes } of changes) {
      expect((await read(file)).split(line), `${file}: ${line}`).toHaveLength(2)
      expect(becomes).not.toContain(line)
    }
  }
})

test('every command of the page is one of this repository', async () => {
  const page = await read('docs/proof.md')
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const commands = [...page.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name)
  expect(commands).toContain('chaos')
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([])
  const programs = [...page.matchAll(/node ((?:proof|test)\/[\w/.-]+)/g)].map(
    ([, path = '']) => path,
  )
  for (const path of programs) expect(await read(path)).not.toBe('')
})
