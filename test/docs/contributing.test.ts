import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { workspaces } from '../architecture/workspaces.ts'
import { isOfMissingSystem, page, root, sectionOf } from './markdown.ts'

const { text } = page('CONTRIBUTING.md')

test('"Where things are" lists every workspace and every folder of the repository', () => {
  const listed = [...sectionOf(text, 'Where things are').matchAll(/^([a-z][\w/-]*) {2,}\S/gm)]
    .map(([, folder]) => folder ?? '')
    .filter((folder) => !isOfMissingSystem(folder))
    .toSorted()
  const ours = workspaces().map(({ folder }) => folder)
  const folders = globSync('*/', { cwd: root }).map((path) => path.replace(/\/$/, ''))
  const beside = folders.filter(
    (folder) =>
      folder !== 'node_modules' && !ours.some((each) => `${each}/`.startsWith(`${folder}/`)),
  )
  expect(listed).toEqual([...ours, ...beside].toSorted())
})

/** The answers by their questions, each with the paths that it names. */
function answersOf(section: string): Map<string, readonly string[]> {
  const rows = [...section.matchAll(/^\| (an? [^|]+?) +\| (.+) \|$/gm)]
  return new Map(
    rows.map(([, question = '', answer = '']) => [
      question,
      [...answer.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, path]) => path ?? ''),
    ]),
  )
}

test('"Where does it go?" answers eleven questions by paths that exist', () => {
  const answers = answersOf(sectionOf(text, 'Where does it go?'))
  expect([...answers.keys()]).toEqual([
    'a transport',
    'a retry policy',
    'a metric',
    'an error code',
    'a page of the dashboard',
    'a command of the CLI',
    'a column of an outbox',
    'a field of POST payments',
    'a kind of saga step',
    'a storage',
    'a system',
  ])
  for (const [question, paths] of answers) {
    expect(paths.length, question).toBeGreaterThan(1)
    expect(
      paths.filter((path) => !existsSync(join(root, path)) && !isOfMissingSystem(path)),
      question,
    ).toEqual([])
  }
})

test('an answer that names a file that is gone is found', () => {
  const answers = answersOf('| a wheel  | `packages/wheel.ts`, and `retry` |\n')
  expect(answers.get('a wheel')).toEqual(['packages/wheel.ts'])
})
