import type { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { ProblemError, invalid } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import { tooLarge } from './body.ts'
import { problem } from '../../problems.ts'

/** A file of a request, not read yet. */
export interface Incoming {
  readonly stream: Readable
  /** What the form calls it. */
  readonly filename: string | undefined
  /** What the client says that it is. */
  readonly contentType: string | undefined
  /** How many bytes the request has; undefined if it does not say. */
  readonly totalBytes: number | undefined
}

/** What a form may have around its file. */
const FORM_BYTES = 64 * 1024
const LONGEST_NAME = 255

/** The file in a request, as its body or in a form. */
export async function incomingFile(request: FastifyRequest, maxBytes: number): Promise<Incoming> {
  const length = request.headers['content-length']
  const totalBytes = length === undefined ? undefined : Number(length)
  if (!request.isMultipart()) {
    if (totalBytes !== undefined && totalBytes > maxBytes) throw tooLarge(maxBytes)
    // No content type and no body: nothing was parsed.
    const stream = (request.body ?? request.raw) as Readable
    const contentType = request.headers['content-type']
    return { stream, filename: undefined, contentType, totalBytes }
  }
  if (totalBytes !== undefined && totalBytes > maxBytes + FORM_BYTES) throw tooLarge(maxBytes)
  const part = await filePart(request)
  if (!part) throw invalid([{ field: 'file', reason: 'is required' }])
  const { file: stream, mimetype: contentType } = part
  return { stream, filename: shownName(part.filename), contentType, totalBytes }
}

async function filePart(request: FastifyRequest): Promise<MultipartFile | undefined> {
  try {
    return await request.file()
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause
    throw problem('BAD_REQUEST', { detail: 'The form cannot be read.', cause })
  }
}

function shownName(name: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken away
  const plain = name?.replaceAll(/[\u0000-\u001F\u007F]/g, '').trim()
  return plain === undefined || plain === '' ? undefined : plain.slice(-LONGEST_NAME).toWellFormed()
}
