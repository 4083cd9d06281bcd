import { isDeepStrictEqual } from 'node:util'
import { SQLSTATE, sqlState, transaction, uuid, type Transaction } from '@posthorn/engine'
import { callerOf, decodeCursor, invalid, pageOf, toPage, type App } from '@posthorn/http'
import { Id, nullable } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { findOwn, unknownProfile } from './own-profile.ts'
import { previewOf } from './preview.ts'
import { problem } from '../../problems.ts'
import { recordAudit } from '../../queries.ts'
import {
  insertProfile,
  insertVersion,
  lockProfile,
  markDeleted,
  selectProfiles,
  selectVersions,
  updateProfile,
  type ProfileKey,
} from './queries.ts'
import { StatementResource, statementResource } from '../formats/findings.ts'
import { FORMATS } from '../formats/format.ts'
import { LinePage, runParams as params, tags } from '../request.ts'
import {
  mistakesIn,
  ProfileResource,
  profileResource,
  Rules,
  Version,
  VersionResource,
  versionResource,
} from './rules.ts'

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name of the profile, such as the bank',
})
const RowError = Type.Object({ field: Type.String(), reason: Type.String() })

const PreviewRow = Type.Object({
  line: Type.Integer(),
  values: Type.Array(Type.String(), { description: 'Values as in the file' }),
  record: nullable(
    Type.Object({
      externalTransactionId: Type.String(),
      amount: Type.Integer({ description: 'Amount in minor units' }),
      currency: Type.String(),
      date: Type.String(),
    }),
  ),
  errors: Type.Array(RowError),
})

const createProfile = {
  tags,
  summary: 'Define how to read files of a bank',
  body: Type.Object({ name: Name, rules: Rules }),
  response: { 201: ProfileResource },
}

const listProfiles = {
  tags,
  summary: 'Profiles, newest first',
  querystring: Type.Object(LinePage),
  response: { 200: pageOf(ProfileResource) },
}

const readProfile = {
  tags,
  summary: 'A profile with its current rules',
  params,
  response: { 200: ProfileResource },
}

const readVersions = {
  tags,
  summary: "The versions of a profile's rules, newest first, also of a deleted profile",
  params,
  response: { 200: Type.Object({ items: Type.Array(VersionResource) }) },
}

const changeProfile = {
  tags,
  summary: 'Change a profile; other rules are a new version',
  params,
  body: Type.Object({
    name: Type.Optional(Name),
    rules: Type.Optional(Rules),
    version: Type.Optional({
      ...Version,
      description: 'Version that you read; 409 if there is a newer one',
    }),
  }),
  response: { 200: ProfileResource },
}

const deleteProfile = {
  tags,
  summary: 'Remove a profile; runs keep their version',
  params,
  response: { 204: Type.Null() },
}

/** The beginning of a file is enough to see whether it is read rightly. */
const PREVIEW_BYTES = 64 * 1024

const previewFile = {
  tags,
  summary: 'Preview the beginning of a file with given rules; stores nothing',
  body: Type.Object({
    rules: Type.Optional(Rules),
    profile: Type.Optional(Id),
    content: Type.String({
      maxLength: Math.ceil(PREVIEW_BYTES / 3) * 4,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description: 'First bytes of the file in base64, up to 64 KiB',
    }),
  }),
  response: {
    200: Type.Object({
      format: Type.Enum([...FORMATS]),
      rows: Type.Array(PreviewRow, { description: 'First 20 rows, without the header' }),
      statements: Type.Array(StatementResource, {
        description: 'Balances of a complete camt.053 or MT940 file',
      }),
      header: nullable(Type.Array(Type.String())),
      errors: Type.Array(RowError, { description: 'Errors of the whole file' }),
      truncated: Type.Boolean({ description: 'True if the file continues after these bytes' }),
    }),
  },
}

const ProfileId = Type.Tuple([Id])

const PATH = '/api/v1/reconciliation-profiles'

/** Adds the profiles of an organisation: how the files of its banks are read. */
export function profileRoutes(app: App, { pool }: { readonly pool: Pool }): void {
  app.post(PATH, { schema: createProfile }, async (request, reply) => {
    const { name, rules } = request.body
    const { org: orgId, sub: by } = callerOf(request)
    check(rules)
    const key = { id: uuid(), orgId }
    const profile = await withUniqueName(() =>
      transaction(pool, async (tx) => {
        if (!(await insertProfile(tx, { ...key, name }))) throw problem('PROFILE_LIMIT')
        await insertVersion(tx, { profileId: key.id, version: 1, rules, by })
        await audit(tx, key, { by, version: 1, did: 'created' })
        return findOwn(tx, key)
      }),
    )
    return reply.code(201).send(profileResource(profile))
  })

  app.post(`${PATH}/preview`, { schema: previewFile }, async (request) => {
    const { rules: given, profile, content } = request.body
    if ((given === undefined) === (profile === undefined)) {
      throw invalid([{ field: 'rules', reason: 'or a profile is required, but not both' }])
    }
    if (given) check(given)
    const id = profile ?? ''
    const rules = given ?? (await findOwn(pool, { id, orgId: callerOf(request).org })).rules
    const bytes = Buffer.from(content, 'base64')
    const isCut = bytes.length >= PREVIEW_BYTES
    const { rows, statements, ...preview } = await previewOf(bytes, { rules, isCut })
    return {
      ...preview,
      statements: statements.map(statementResource),
      header: preview.header === null ? null : [...preview.header],
      errors: [...preview.errors],
      truncated: isCut,
      rows: rows.map((row) => ({
        line: row.line,
        values: [...row.values],
        record: row.record && { ...row.record, date: row.record.bookedOn },
        errors: [...row.errors],
      })),
    }
  })

  app.get(PATH, { schema: listProfiles }, async (request) => {
    const { limit, cursor } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ProfileId)[0]
    const page = { orgId: callerOf(request).org, before, limit: limit + 1 }
    const rows = await selectProfiles(pool, page)
    return toPage(rows, limit, { item: profileResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/:id`, { schema: readProfile }, async (request) =>
    profileResource(await findOwn(pool, { id: request.params.id, orgId: callerOf(request).org })),
  )

  app.get(`${PATH}/:id/versions`, { schema: readVersions }, async (request) => {
    const key = { id: request.params.id, orgId: callerOf(request).org }
    const versions = await selectVersions(pool, key)
    if (versions.length === 0) throw unknownProfile(key)
    return { items: versions.map(versionResource) }
  })

  app.patch(`${PATH}/:id`, { schema: changeProfile }, async (request) => {
    const { name, rules, version: seen } = request.body
    const { org: orgId, sub: by } = callerOf(request)
    if (rules) check(rules)
    const key = { id: request.params.id, orgId }
    const profile = await withUniqueName(() =>
      transaction(pool, async (tx) => {
        if (!(await lockProfile(tx, key))) throw unknownProfile(key)
        const before = await findOwn(tx, key)
        if (seen !== undefined && seen !== before.version) {
          throw problem('PROFILE_CHANGED', { extensions: { version: before.version } })
        }
        const isNew = rules !== undefined && !isDeepStrictEqual(rules, before.rules)
        const version = before.version + (isNew ? 1 : 0)
        if (isNew) await insertVersion(tx, { profileId: key.id, version, rules, by })
        await updateProfile(tx, { id: key.id, version, name })
        await audit(tx, key, { by, version, did: 'changed' })
        return findOwn(tx, key)
      }),
    )
    return profileResource(profile)
  })

  app.delete(`${PATH}/:id`, { schema: deleteProfile }, async (request, reply) => {
    const { org: orgId, sub: by } = callerOf(request)
    const key = { id: request.params.id, orgId }
    await transaction(pool, async (tx) => {
      const locked = await lockProfile(tx, key)
      if (!locked) throw unknownProfile(key)
      await markDeleted(tx, key)
      const { version } = locked
      await audit(tx, key, { by, version, did: 'deleted' })
    })
    return reply.code(204).send(null)
  })
}

function audit(
  tx: Transaction,
  { id, orgId }: ProfileKey,
  { by, version, did }: { by: string; version: number; did: 'created' | 'changed' | 'deleted' },
): Promise<void> {
  return recordAudit(tx, {
    ...{ org: orgId, actor: by, action: `reconciliation_profile.${did}` },
    ...{ entity: 'reconciliation_profile', entityId: id, details: { version } },
  })
}

function check(rules: Rules): void {
  const errors = mistakesIn(rules).map(({ field, reason }) => ({ field: `rules.${field}`, reason }))
  if (errors.length > 0) throw invalid(errors)
}

/** The name is the only thing of a profile that is unique. */
async function withUniqueName<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error
    throw problem('PROFILE_NAME_TAKEN', { cause: error })
  }
}
