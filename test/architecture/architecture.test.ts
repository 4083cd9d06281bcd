import { describe, expect, test } from 'vitest'
import { findOpening, wrongShape } from './file-shape.ts'
import { importsOf, wrongImports } from './imports.ts'
import { findLocks } from './migration-locks.ts'
import { wrongRoom } from './rooms.ts'
import { migrationFiles, sourceFiles } from './source-files.ts'
import { countLines, readSource } from './source-text.ts'
import { findOrderByText } from './sql-order.ts'
import { findMisplacedSql, type Exception } from './sql-places.ts'
import { findIdentifiers, systemIdentifiers } from './system-identifiers.ts'
import { readSharedDevDependencies, workspaces } from './workspaces.ts'

const SQL_EXCEPTIONS: readonly Exception[] = [
  {
    path: 'packages/engine/src/database/transaction.ts',
    statements: /^(begin|commit|rollback)\b/,
    reason: 'The transaction is what this file is about; it has no other statement.',
  },
  {
    path: 'packages/engine/src/database/savepoint.ts',
    statements: /savepoint apart$/,
    reason: 'The savepoint is what this file is about; it has no other statement.',
  },
]

const files = sourceFiles()

describe('this repository', () => {
  test('has files to look at', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.map(({ path }) => path)).toContain('test/architecture/architecture.test.ts')
  })

  test('imports only downwards, through the entry points, and what is declared', () => {
    const repository = { workspaces: workspaces(), shared: readSharedDevDependencies() }
    expect(files.flatMap((file) => wrongImports(file, repository))).toEqual([])
  })

  test('has the engine in rooms that form no ring', () => {
    expect(files.flatMap(wrongRoom)).toEqual([])
  })

  test('has its SQL in *.sql.ts, queries.ts and migrations only', () => {
    expect(files.flatMap((file) => findMisplacedSql(file, SQL_EXCEPTIONS))).toEqual([])
  })

  test.each(SQL_EXCEPTIONS)('still needs the exception for $path', ({ path }) => {
    const file = files.find((candidate) => candidate.path === path)
    expect(findMisplacedSql(file!, [])).not.toEqual([])
  })

  test('orders by columns, not by their text', () => {
    const others = files.filter(({ path }) => !path.startsWith('test/architecture/'))
    expect(others.flatMap(findOrderByText)).toEqual([])
  })

  test('has tests that share no module which opens something while it is imported', () => {
    expect(files.flatMap(findOpening)).toEqual([])
  })

  test('has migrations that keep no writer waiting', () => {
    const migrations = migrationFiles()
    expect(migrations.length).toBeGreaterThan(2)
    expect(migrations.flatMap(findLocks)).toEqual([])
  })

  test('has small files with telling names and named exports', () => {
    expect(files.flatMap(wrongShape)).toEqual([])
  })
})

describe('the core', async () => {
  const identifiers = await systemIdentifiers()
  const core = files.filter(({ path }) => /^(?:packages|apps)\//.test(path))

  test('names no system', () => {
    expect(new Set(identifiers.map(({ kind }) => kind)).size).toBeGreaterThan(4)
    expect(core.flatMap((file) => findIdentifiers(file, identifiers))).toEqual([])
  })

  const identifier = { system: 'toys', kind: 'table', text: 'toys.toys' } as const
  const check = (text: string) => findIdentifiers({ path: 'a.ts', text }, [identifier])

  test.each(["'toys.toys'", "'select 1 from toys.toys'", '`toys.toys_due, toys.toys`'])(
    'would name one with %s',
    (text) => expect(check(text)).toEqual(['a.ts: table toys.toys of toys']),
  )

  test.each(["'toys.toys_due'", "'my-toys.toys'", '// toys.toys', 'toys.toys()'])(
    'names none with %s',
    (text) => expect(check(text)).toEqual([]),
  )
})

describe('modules', () => {
  const opened = 'const database = await testDatabase()\n'

  test.each([
    ['src/testing/world.ts', `${opened}export const one = 1`],
    ['src/testing/world.ts', 'export const server = await testServer(database)'],
    ['test/harness/page.ts', 'await open()\nexport {}'],
  ])('%s opens something: %j', (path, text) => {
    expect(findOpening({ path, text })).toHaveLength(1)
  })

  test.each([
    ['src/testing/world.test.ts', opened],
    ['src/testing/server-process.ts', opened],
    ['src/main.ts', opened],
    ['src/testing/world.ts', 'export async function open() {\n  await testDatabase()\n}'],
    ['src/testing/world.ts', "export const { sql } = await import('./sql.ts')"],
  ])('%s opens nothing: %j', (path, text) => {
    expect(findOpening({ path, text })).toEqual([])
  })
})

describe('orders', () => {
  const check = (text: string) => findOrderByText({ path: 'a.ts', text })

  test.each([
    'sql`select id::text, name from t order by id desc limit 1`',
    'sql`select a.seq::text as seq\n  from t as a\n order by created_at, seq`',
    'const COLUMNS = sql`id::text, name`\nsql`select ${COLUMNS} from t where f(id) order by id`',
    'sql`with x as (select id::text from t order by id) select 1`',
  ])('finds %s', (text) => expect(check(text)).toHaveLength(1))

  test.each([
    'sql`select a.id::text, name from t as a order by a.id`',
    'sql`select id::text as name from t order by id`',
    'sql`with x as (select id from t order by id) update t set a = 1 returning id::text`',
  ])('lets pass %s', (text) => expect(check(text)).toEqual([]))
})

describe('locks of migrations', () => {
  const check = (text: string) => findLocks({ path: 'a.sql', text })

  test.each([
    'create index i on a.t (b);',
    'create unique index if not exists i on a.t (b);',
    'create index concurrently if not exists i on a.t (b);',
    'alter table a.t add column b uuid not null default gen_random_uuid();',
    'alter table a.t add column b text generated always as (c || d) stored;',
    'alter table a.t add b bigint generated always as identity;',
    "alter table a.t add column b text default 'x' check (b <> ';');",
    'alter table a.t add column b uuid references a.u (id);',
    'alter table a.t add column b int unique;',
    'alter table a.t drop constraint c, add constraint c check (b in (1, 2));',
    'alter table a.t add foreign key (b) references a.u;',
    'alter table a.t add primary key (b);',
    'alter table a.t alter column b type bigint;',
    'alter table a.t alter b set data type bigint;',
    'alter table a.t alter column b set not null;',
    'alter table a.t add check (b > 0) not valid;\nalter table a.t validate constraint t_check;',
    'alter table a.t add column b int;\nupdate a.t set b = 1 where c = 2;',
    'with x as (update a.t as t set b = 1 returning id) select 1;',
    'delete from a.t;',
    'truncate a.t;',
    'vacuum full a.t;',
    'lock table a.t;',
    "do $$ begin execute 'anything'; end $$;",
    '-- locks: needs none, as nothing is locked\nselect 1;',
    '-- locks: small\ncreate index i on a.t (b);',
    '-- concurrently\ncreate index concurrently i on a.t (b);',
    '-- concurrently\nupdate a.t set b = 1 where c = 2;',
  ])('refuses %j', (text) => expect(check(text)).toHaveLength(1))

  test.each([
    'create table a.t (b int primary key);\ncreate index i on a.t (b);\nupdate a.t set b = 1;',
    "alter table a.t add column b timestamptz not null default posthorn.now(), add c text default '';",
    'alter table a.t add constraint c check (b in (1, 2)) not valid;',
    'alter table a.t add primary key using index i;',
    'alter table a.t validate constraint c;',
    'update a.t set b = 1 where c = 2;',
    'create function a.f() returns trigger language plpgsql as $$ begin update a.t set b = 1; end $$;',
    '-- locks: one row for each account, of which there are hundreds\ncreate index i on a.t (b);',
    '-- concurrently\ncreate index concurrently if not exists i on a.t (b);\ndrop index concurrently if exists a.j;\nalter table a.t validate constraint c;',
  ])('lets pass %j', (text) => expect(check(text)).toEqual([]))
})

describe('imports', () => {
  const workspace = (name: string, folder: string, dependencies: string[] = []) => ({
    name,
    folder,
    entryPoints: [name, `${name}/testing`, `${name}/internal`],
    dependencies,
    devDependencies: ['fixture'],
  })
  const repository = {
    workspaces: [
      workspace('@posthorn/engine', 'packages/engine', ['pg', '@posthorn/transports']),
      workspace('@posthorn/operate', 'packages/operate', ['@posthorn/engine']),
      workspace('@posthorn/transports', 'packages/transports', ['@posthorn/engine']),
      workspace('@posthorn/saga', 'packages/saga'),
      workspace('@posthorn/system', 'packages/system', ['@posthorn/engine']),
      workspace('@posthorn/orders', 'systems/orders', ['@posthorn/engine', '@posthorn/server']),
      workspace('@posthorn/payments', 'systems/payments', ['@posthorn/engine']),
      workspace('@posthorn/server', 'apps/server', ['@posthorn/system', '@posthorn/orders']),
      workspace('@posthorn/dashboard', 'apps/dashboard', ['react', '@posthorn/engine']),
    ],
    shared: ['vitest'],
  }
  const check = (path: string, specifier: string) =>
    wrongImports({ path, text: `import { x } from '${specifier}'` }, repository)

  test.each([
    ['packages/engine/src/a.ts', 'pg'],
    ['packages/engine/src/a.ts', './b.ts'],
    ['packages/engine/src/a.ts', 'node:fs'],
    ['packages/engine/src/a.test.ts', 'vitest'],
    ['packages/engine/src/a.test.ts', 'fixture'],
    ['packages/transports/src/a.ts', '@posthorn/engine/testing'],
    ['packages/operate/src/a.ts', '@posthorn/engine/internal'],
    ['packages/operate/src/messages/a.test.ts', '../../../engine/src/testing/outboxes.ts'],
    ['packages/saga/src/a.test.ts', '@posthorn/engine'],
    ['systems/orders/a.ts', '@posthorn/engine'],
    ['apps/server/src/a.ts', '@posthorn/system'],
    ['posthorn.config.ts', '@posthorn/orders'],
    ['apps/dashboard/src/main.tsx', 'react'],
    ['apps/dashboard/vite.config.ts', 'fixture'],
    ['apps/dashboard/test/harness/server.ts', '@posthorn/engine/testing'],
    ['apps/dashboard/test/harness/server.ts', '@posthorn/server'],
    ['proof/crash/main.ts', '@posthorn/server'],
    ['proof/crash/main.ts', '../../scripts/services/index.mjs'],
    ['packages/transports/src/a.test.ts', '../../../scripts/services/index.mjs'],
  ])('%s may import %s', (path, specifier) => {
    expect(check(path, specifier)).toEqual([])
  })

  test.each([
    ['packages/engine/src/a.ts', '@posthorn/transports', 'must not import'],
    ['packages/engine/src/a.ts', 'vitest', 'not declared'],
    ['packages/engine/src/a.ts', 'fixture', 'not declared'],
    ['packages/engine/src/a.ts', '../../../scripts/x.mjs', 'leaves the workspace'],
    ['packages/engine/src/a.ts', '../../transports/src/x.ts', 'past its entry point'],
    ['packages/transports/src/a.ts', '@posthorn/engine/src/relay.ts', 'no entry point'],
    ['packages/saga/src/a.ts', '@posthorn/transports', 'must not import'],
    ['systems/orders/a.ts', '@posthorn/engine/internal', "for Posthorn's own packages"],
    ['systems/orders/a.test.ts', '@posthorn/operate/internal', "for Posthorn's own packages"],
    ['examples/own-outbox/a.ts', '@posthorn/engine/internal', "for Posthorn's own packages"],
    ['packages/operate/src/a.ts', '../../engine/src/testing/a.ts', 'past its entry point'],
    ['packages/saga/src/a.ts', '@posthorn/engine', 'not declared'],
    ['systems/orders/a.ts', '../payments/index.ts', 'past its entry point'],
    ['systems/orders/a.ts', '@posthorn/payments', 'must not import'],
    ['systems/orders/a.ts', '@posthorn/server', 'must not import'],
    ['apps/server/src/a.ts', '@posthorn/orders', 'must not import'],
    ['apps/dashboard/src/main.tsx', '@posthorn/engine', 'must not import'],
    ['apps/dashboard/src/main.tsx', '@posthorn/server', 'must not import'],
    ['apps/dashboard/src/main.tsx', '../../server/src/api.ts', 'past its entry point'],
    ['apps/dashboard/src/main.tsx', 'fixture', 'not declared'],
    ['proof/crash/main.ts', '../../packages/engine/src/relay/relay.ts', 'past its entry point'],
    ['proof/crash/main.ts', '@posthorn/engine/src/relay.ts', 'no entry point'],
  ])('%s must not import %s', (path, specifier, problem) => {
    expect(check(path, specifier)).toEqual([expect.stringContaining(problem)])
  })

  test('are found in all their forms, and not in comments and strings', () => {
    const text = `
      import 'a'
      import type { B } from "b"
      export * from 'c'
      const d = await import('d')
      import {
        e,
      } from 'e'
      // import 'not'
      const bytes = Buffer.from('not')
      const text = "import 'not'"
      const other = \`from 'not'\``
    expect(importsOf(text)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})

describe('rooms of the engine', () => {
  const check = (path: string, specifier: string) =>
    wrongRoom({ path: `packages/engine/src/${path}`, text: `import { x } from '${specifier}'` })

  test.each([
    ['relay/a.ts', './b.ts'],
    ['relay/a.ts', '../outbox/b.ts'],
    ['relay/a.ts', '../maintain/b.ts'],
    ['maintain/a.ts', '../relay/log/b.ts'],
    ['relay/log/a.ts', '../key/b.ts'],
    ['relay/log/deep/a.ts', '../../key/b.ts'],
    ['relay/a.ts', '../errors.ts'],
    ['relay/a.test.ts', '../host/b.ts'],
    ['testing/a.ts', '../host/b.ts'],
    ['enqueue/adapters/a.ts', '../../database/b.ts'],
    ['index.ts', './host/b.ts'],
    ['duration.ts', './errors.ts'],
  ])('%s may import %s', (path, specifier) => {
    expect(check(path, specifier)).toEqual([])
  })

  test.each([
    ['relay/a.ts', '../host/b.ts', 'must not import host'],
    ['relay/key/a.ts', '../log/b.ts', 'must not import relay/log'],
    ['relay/key/a.ts', '../b.ts', 'must not import relay'],
    ['database/a.ts', '../outbox/b.ts', 'must not import outbox'],
    ['errors.ts', './outbox/b.ts', 'the ground must not import outbox'],
    ['enqueue/adapters/a.ts', '../../relay/b.ts', 'must not import relay'],
    ['attic/a.ts', './b.ts', 'in no room'],
    ['a.ts', './b.ts', 'in no room'],
  ])('%s must not import %s', (path, specifier, problem) => {
    expect(check(path, specifier)).toEqual([expect.stringContaining(problem)])
  })
})

describe('SQL', () => {
  const check = (text: string, path = 'systems/orders/routes.ts') =>
    findMisplacedSql({ path, text }, [])

  test.each([
    "db.query('select id from orders')",
    'db.query(`\n  insert into orders (id) values ($1)`)',
    'const text = `with due as (\n select 1)`',
    'const text = `with due (id) as materialized (select 1)`',
    "'update orders set status = $1'",
    '`update ${table(a)} as o set a = 1`',
    '`delete from ${table}`',
    "'delete from orders'",
    "'create unique index x on y (z)'",
    "'ALTER TABLE orders ADD x int'",
    "client.query('begin')",
    "client.query<Row>('listen wake')",
    "client.query({ text: 'select 1' })",
    'const part = sql`and x = ${y}`',
    '`select ${columns} from orders`',
    "'select pg_notify($1, $2)'",
    "copyFrom('copy orders (a, b) from stdin')",
    "'truncate orders'",
  ])('is seen in %j', (text) => {
    expect(check(text)).not.toEqual([])
  })

  test.each([
    "element('select')",
    "'Select a message from the list'",
    "'Update the page'",
    "'update available, set it up later'",
    "'With love'",
    "'begin'",
    "'commit'",
    "'Create a token'",
    "'create table-like output'",
    "'delete'",
    "button('Delete this')",
    '`update ${name}`',
    '// select id from orders',
    "emit('notify')",
    "'values'",
    "'Drop files here'",
  ])('is not seen in %j', (text) => {
    expect(check(text)).toEqual([])
  })

  test('may be in its places', () => {
    const text = "'select id from orders'"
    for (const path of [
      'packages/engine/src/relay/row/claim.sql.ts',
      'packages/transports/src/postgres/queries.ts',
      'systems/orders/queries.ts',
      'systems/orders/a.test.ts',
      'packages/engine/src/testing/database.ts',
      'bench/main.ts',
    ]) {
      expect(check(text, path)).toEqual([])
    }
    expect(check(text, 'packages/engine/src/sql.ts')).not.toEqual([])
    expect(check(text, 'packages/engine/src/subqueries.ts')).not.toEqual([])
  })

  test('an exception covers its statements and no others', () => {
    const file = { path: 'packages/x/src/a.ts', text: "q.query('begin'); q.query('select 1')" }
    const exception = { path: file.path, statements: /^begin$/, reason: '' }
    expect(findMisplacedSql(file, [exception])).toEqual(['packages/x/src/a.ts:1: select 1'])
  })
})

describe('shape', () => {
  const lines = (count: number) => 'const x = 1\n'.repeat(count)
  const check = (path: string, text: string) => wrongShape({ path, text }).length

  test('a file may be so long and no longer', () => {
    expect(check('packages/engine/src/a.ts', lines(400))).toBe(0)
    expect(check('packages/engine/src/a.ts', lines(401))).toBe(1)
    expect(check('packages/engine/src/a.test.ts', lines(600))).toBe(0)
    expect(check('packages/engine/src/a.test.ts', lines(601))).toBe(1)
    expect(check('packages/engine/src/a.ts', lines(400) + '// why\n\n/* and\nhow */\n')).toBe(0)
  })

  test.each(['utils.ts', 'helpers.ts', 'types.ts', 'constants.mjs', 'manager.ts', 'service.ts'])(
    'no file is called %s',
    (name) => {
      expect(check(`packages/engine/src/${name}`, '')).toBe(1)
    },
  )

  test('a name may contain such a word', () => {
    expect(check('packages/engine/src/event-types.ts', '')).toBe(0)
  })

  test('exports have names', () => {
    expect(check('packages/engine/src/a.ts', 'export default 1')).toBe(1)
    expect(check('packages/engine/src/a.ts', 'export { a as default }')).toBe(1)
    expect(check('packages/engine/src/a.ts', "const text = 'export default 1'")).toBe(0)
    expect(check('vitest.config.ts', 'export default 1')).toBe(0)
  })
})

describe('reading a source', () => {
  test('tells code, comments, strings, templates and expressions apart', () => {
    const source = [
      "const a = 'it''s' // 'no'",
      'const b = `one ${c ? `two ${d}` : {}} three`',
      "const e = /['`/]/.test(f) / 2 /* 'no' */",
      "const g = '\\'h' + 'i'",
    ].join('\n')
    const texts = readSource(source).literals.map(({ text }) => text)
    expect(texts).toEqual(['it', 's', 'one ${} three', 'two ${}', "\\'h", 'i'])
    expect(readSource(source).literals.at(-1)?.line).toBe(4)
  })

  test('counts the lines of a statement in a template, not its blank ones', () => {
    expect(countLines('const a = `\n  select 1\n\n  from b`\n// why\n')).toBe(3)
  })
})
