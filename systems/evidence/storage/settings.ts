import { resolve } from 'node:path'
import { Type, type Static } from 'typebox'
import { folderStorage } from './folder.ts'
import type { S3Options } from './s3.ts'
import type { Storage } from './storage.ts'

/** Where evidence is kept, as the part of the system's settings. */
export const storageSettings = {
  S3_BUCKET: Type.Optional(
    Type.String({
      description: 'bucket for archives and evidence; without it a folder',
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    }),
  ),
  S3_ENDPOINT: Type.Optional(
    Type.String({
      description: "address of an S3 server other than Amazon's, http(s)://…",
      pattern: '^https?://.+$',
    }),
  ),
  S3_REGION: Type.String({ description: "the bucket's region", default: 'us-east-1' }),
  S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({
      description: "access key of the bucket; without it the AWS chain, such as a machine's role",
    }),
  ),
  S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ description: 'the secret of S3_ACCESS_KEY_ID', secret: true }),
  ),
  EVIDENCE_FOLDER: Type.Optional(
    Type.String({
      description:
        'folder for archives and evidence without a bucket; relative to POSTHORN_DATA_DIR',
      default: 'evidence',
      production: 'required',
      unless: 'S3_BUCKET',
    }),
  ),
}

const schema = Type.Object(storageSettings)
export type StorageSettings = Static<typeof schema>

/** The storage that the settings name, and the name its objects are known by. */
export interface NamedStorage {
  readonly storage: Storage
  readonly bucket: string
}

/** The bucket, else the folder, seen from the one for data; production must name one of them. */
export function openStorage(settings: StorageSettings, dataFolder = '.'): NamedStorage {
  const { S3_BUCKET: bucket, EVIDENCE_FOLDER: folder } = settings
  if (bucket !== undefined) {
    return { storage: s3WhenUsed({ bucket, ...s3Access(settings) }), bucket }
  }
  if (folder === undefined) throw new Error('S3_BUCKET is missing: the bucket for evidence')
  return { storage: folderStorage(resolve(dataFolder, folder)), bucket: 'folder' }
}

/** The bucket's SDK takes 40 MB and a while to load: a server with a folder does without it. */
function s3WhenUsed(options: S3Options): Storage {
  let opened: Promise<Storage> | undefined
  const open = () => (opened ??= import('./s3.ts').then(({ s3Storage }) => s3Storage(options)))
  return {
    put: async (...args) => (await open()).put(...args),
    read: async (...args) => (await open()).read(...args),
    head: async (key) => (await open()).head(key),
    async *list(prefix) {
      yield* (await open()).list(prefix)
    },
    remove: async (key) => (await open()).remove(key),
  }
}

function s3Access(settings: StorageSettings) {
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = settings
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const access = { region, ...(endpoint !== undefined && { endpoint }) }
  if (accessKeyId === undefined && secretAccessKey === undefined) return access
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { ...access, credentials: { accessKeyId, secretAccessKey } }
  }
  throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: one is missing')
}
