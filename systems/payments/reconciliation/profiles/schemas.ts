import { PageQuery, pageOf } from '@posthorn/http'
import { Type } from 'typebox'
import { FORMATS } from '../formats/format.ts'
import { StatementResource } from '../statements/schemas.ts'
import { Rules } from './rules.ts'

export const Id = Type.String({ format: 'uuid' })
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'of the bank, say' })
const Version = Type.Integer({ minimum: 1 })

const ProfileResource = Type.Object({
  id: Id,
  name: Type.String(),
  version: Version,
  rules: Rules,
  createdAt: Type.String(),
  updatedAt: Type.String(),
})

const VersionResource = Type.Object({
  version: Version,
  rules: Rules,
  createdBy: Type.String(),
  createdAt: Type.String(),
})

const RowError = Type.Object({ field: Type.String(), reason: Type.String() })

const PreviewRow = Type.Object({
  line: Type.Integer(),
  values: Type.Array(Type.String(), { description: 'as they stand in the file' }),
  record: Type.Union([
    Type.Object({
      externalTransactionId: Type.String(),
      amount: Type.Integer({ description: 'in minor units' }),
      currency: Type.String(),
      date: Type.String(),
    }),
    Type.Null(),
  ]),
  errors: Type.Array(RowError),
})

const tags = ['reconciliation']
const params = Type.Object({ id: Id })

export const createProfile = {
  tags,
  summary: 'Say how the files of a bank are read',
  body: Type.Object({ name: Name, rules: Rules }),
  response: { 201: ProfileResource },
}

export const listProfiles = {
  tags,
  summary: 'Profiles, newest first',
  querystring: Type.Object({
    limit: PageQuery.properties.limit,
    cursor: PageQuery.properties.cursor,
  }),
  response: { 200: pageOf(ProfileResource) },
}

export const readProfile = {
  tags,
  summary: 'A profile with its current rules',
  params,
  response: { 200: ProfileResource },
}

export const readVersions = {
  tags,
  summary: 'The rules a profile has had, newest first, also of a deleted one',
  params,
  response: { 200: Type.Object({ items: Type.Array(VersionResource) }) },
}

export const changeProfile = {
  tags,
  summary: 'Change a profile; other rules are a new version',
  params,
  body: Type.Object({
    name: Type.Optional(Name),
    rules: Type.Optional(Rules),
    version: Type.Optional({ ...Version, description: 'that was seen; with a newer one, 409' }),
  }),
  response: { 200: ProfileResource },
}

export const deleteProfile = {
  tags,
  summary: 'Remove a profile; runs keep the version they were read by',
  params,
  response: { 204: Type.Null() },
}

/** The beginning of a file is enough to see whether it is read rightly. */
export const PREVIEW_BYTES = 64 * 1024

export const previewFile = {
  tags,
  summary: 'Read the beginning of a file by rules, without storing anything',
  body: Type.Object({
    rules: Type.Optional(Rules),
    profile: Type.Optional(Id),
    content: Type.String({
      maxLength: Math.ceil(PREVIEW_BYTES / 3) * 4,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description: 'the first bytes of the file in base64, up to 64 KiB',
    }),
  }),
  response: {
    200: Type.Object({
      format: Type.Enum([...FORMATS]),
      rows: Type.Array(PreviewRow, { description: 'the first 20, without the header' }),
      statements: Type.Array(StatementResource, {
        description: 'of a camt.053 or MT940 file that is here whole: its balances',
      }),
      header: Type.Union([Type.Array(Type.String()), Type.Null()]),
      errors: Type.Array(RowError, { description: 'of the file as a whole' }),
      truncated: Type.Boolean({ description: 'whether the file goes on' }),
    }),
  },
}

export const ProfileId = Type.Tuple([Id])
