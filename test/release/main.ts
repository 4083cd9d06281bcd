import { runProofs, type ProofStage } from '../../proof/kit/proof-run.ts'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Ledger, Line } from '../../proof/kit/ledger.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HOME = 'https://git.example.com/posthorn/posthorn'
const VERSION = '9.8.7'

interface Ended {
  readonly code: number
  readonly said: string
}

interface Packed {
  readonly name: string
  readonly version: string
  readonly repository?: { readonly url: string; readonly directory: string }
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * What a maintainer does, in a clone of the last commit that has no packages yet: pack, be refused,
 * give all packages a version, commit, tag, release. Nothing leaves the machine.
 */
async function releaseFromClone({ folder, signal }: ProofStage): Promise<Ledger[]> {
  const clone = join(folder, 'clone')
  const run = async (program: string, ...args: string[]): Promise<Ended> => {
    const options = { cwd: clone, signal, env: cleanEnv(), maxBuffer: 64 * 1024 * 1024 }
    return promisify(execFile)(program, args, options).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code: Number(code), said: `${stdout}${stderr}` }),
    )
  }
  const git = async (...args: string[]) => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    const { code, said } = await run('git', ...who, ...args)
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${said}`)
    return said.trim()
  }
  await promisify(execFile)('git', ['clone', '--quiet', ROOT, clone], { signal })

  const packed = await run('npm', 'run', 'pack', '--', '--to', join(folder, 'packed'), 'postgres')
  const early = await run('npm', 'run', 'release')
  const isPackedEarly = existsSync(join(clone, '.posthorn/release'))
  await setRepository(clone)
  const raised = await run('npm', 'run', 'release', '--', VERSION)
  const changed = (await git('diff', '--name-only')).split('\n')
  await git('commit', '--quiet', '--all', '--message', `Release ${VERSION}`)
  const untagged = await run('npm', 'run', 'release')
  await git('tag', `v${VERSION}`)
  await writeFile(join(clone, 'leftover.txt'), 'x')
  const dirty = await run('npm', 'run', 'release')
  await git('clean', '--quiet', '--force')
  const released = await run('npm', 'run', 'release')
  const to = join(clone, '.posthorn/release')
  const tarballs = existsSync(to) ? (await readdir(to)).filter((file) => file.endsWith('.tgz')) : []
  const checked = await run('sh', '-c', `cd ${to} && sha512sum --check --quiet SHA512SUMS`)
  const packages = await Promise.all(tarballs.map((file) => look(join(to, file))))

  const count = (items: readonly unknown[], wanted: (item: never) => boolean) =>
    items.filter((item) => wanted(item as never)).length
  const says = (name: string, { said }: Ended, words: string): Line => ({
    name,
    value: said.includes(words) ? 'yes' : 'no',
    must: 'yes',
  })
  const lines: Line[] = [
    { name: 'packing without packages: exit code', value: packed.code, must: 0 },
    { name: 'a release of an unprepared commit: exit code', value: early.code, must: 1 },
    says('… names the tag', early, 'has no tag v'),
    says('… names the changelog', early, 'has no section'),
    says('… names the repository', early, 'no repository.url'),
    { name: '… packs nothing', value: String(isPackedEarly), must: 'false' },
    { name: 'raising the version: exit code', value: raised.code, must: 0 },
    {
      name: 'files changed that have no version',
      value: count(
        changed,
        (file: string) => !/(^|\/)(package(-lock)?\.json|CHANGELOG\.md)$/.test(file),
      ),
      must: 0,
    },
    { name: 'manifests changed', value: count(changed, isManifest), atLeast: 14 },
    says('a commit without its tag is refused', untagged, `has no tag v${VERSION}`),
    says('a changed tree is refused', dirty, 'The working tree has changes.'),
    { name: 'the release: exit code', value: released.code, must: 0 },
    { name: 'packages', value: tarballs.length, atLeast: 13 },
    {
      name: 'commands that publish, printed',
      value: released.said.split('npm publish ').length - 1,
      must: tarballs.length,
    },
    { name: 'digests', value: checked.code, must: 0 },
    {
      name: 'packages of another version',
      value: count(packages, ({ manifest }: Look) => manifest.version !== VERSION),
      must: 0,
    },
    {
      name: 'dependencies of ours of another version',
      value: packages.flatMap(({ manifest }) => strangers(manifest)).length,
      must: 0,
    },
    {
      name: 'packages without their sources',
      value: count(packages, ({ manifest }: Look) => !manifest.repository?.directory),
      must: 0,
    },
    {
      name: 'pages without a link to the guide of this version',
      value: count(
        packages,
        ({ readme }: Look) => !readme.includes(`${HOME}/blob/v${VERSION}/docs/guide/`),
      ),
      must: 0,
    },
  ]
  const details = [packed, early, raised, untagged, dirty, released, checked].map(
    ({ said }) => said,
  )
  return [{ title: 'a release, from a clone without packages', lines, details }]
}

interface Look {
  readonly manifest: Packed
  readonly readme: string
}

async function look(tarball: string): Promise<Look> {
  const read = async (file: string) =>
    (await promisify(execFile)('tar', ['-xzOf', tarball, `package/${file}`])).stdout
  return { manifest: JSON.parse(await read('package.json')), readme: await read('README.md') }
}

function strangers({ dependencies }: Packed): string[] {
  const isOurs = (name: string) => name.startsWith('@posthorn/') || name === 'create-posthorn'
  return Object.entries(dependencies).flatMap(([name, range]) =>
    isOurs(name) && range !== VERSION ? [name] : [],
  )
}

function isManifest(file: string): boolean {
  return file.endsWith('package.json')
}

async function setRepository(clone: string): Promise<void> {
  const file = join(clone, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  const repository = { type: 'git', url: `git+${HOME}.git` }
  await writeFile(file, `${JSON.stringify({ ...manifest, repository }, undefined, 2)}\n`)
}

/** Nothing of the packages that this program itself was started with. */
function cleanEnv(): NodeJS.ProcessEnv {
  const { PATH = '', ...rest } = process.env
  const paths = PATH.split(':').filter((path) => !path.includes('node_modules'))
  const others = Object.entries(rest).filter(
    ([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS))/.test(name),
  )
  return { ...Object.fromEntries(others), PATH: paths.join(':') }
}

// node test/release/main.ts: a clone without packages is packed, refused and released, to the tarballs.
await runProofs([{ name: 'release', seed: 1, limitMs: 1_800_000, run: releaseFromClone }])
