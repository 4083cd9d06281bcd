/** Something that runs the service, from npm. */
export interface Runtime {
  readonly name: string
  /** What npm installs. */
  readonly spec: string
  /** The program, from the folder that it was installed into, and what stands before a script. */
  readonly program: string
  readonly args: readonly string[]
  /** Runs the tests of the service. */
  readonly test: readonly string[]
  /**
   * As root it starts PostgreSQL only in a folder that others may enter: it becomes the server's account
   * before it changes into the folder, not after.
   */
  readonly needsOpenFolder?: true
}

const TEST = 'test/shop.test.ts'

export const RUNTIMES: readonly Runtime[] = [
  {
    name: 'node22',
    spec: 'node@22',
    program: 'node_modules/node/bin/node',
    args: [],
    test: ['--test', TEST],
  },
  {
    name: 'node24',
    spec: 'node@24',
    program: 'node_modules/node/bin/node',
    args: [],
    test: ['--test', TEST],
  },
  {
    name: 'bun',
    spec: 'bun',
    program: 'node_modules/bun/bin/bun.exe',
    args: ['run'],
    test: ['test', '--timeout', '60000', `./${TEST}`],
  },
  {
    name: 'deno',
    spec: 'deno',
    program: 'node_modules/.bin/deno',
    args: ['run', '-A'],
    test: ['test', '-A', '--no-check', TEST],
    needsOpenFolder: true,
  },
]
