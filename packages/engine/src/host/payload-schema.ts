import { PosthornError } from '../errors.ts'

/**
 * The part of the Standard Schema interface that is used here: zod, valibot, ArkType and others have
 * it under this name.
 */
export interface PayloadSchema<Payload = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<Payload> | Promise<Checked<Payload>>
  }
}

type Checked<Payload> =
  | { readonly value: Payload; readonly issues?: undefined }
  | { readonly issues: readonly PayloadIssue[] }

interface PayloadIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type Schemas<Events extends object> = {
  readonly [Type in keyof Events]?: PayloadSchema<Events[Type]>
}

/** Problems that an error names; a thousand would explain no more than ten. */
const MOST_ISSUES = 10

/** The payload as its type's schema gives it back; throws `PAYLOAD_INVALID` before anything is stored. */
export async function checkPayload<Events extends object>(
  outbox: string,
  schemas: Schemas<Events> | undefined,
  { type, payload }: { type: string; payload: unknown },
): Promise<unknown> {
  if (payload === undefined) {
    throw new PosthornError('PAYLOAD_INVALID', `outbox ${outbox}: ${type} has no payload`)
  }
  const schema = schemas?.[type as keyof Events]
  if (!schema) return payload
  const checked = await schema['~standard'].validate(payload)
  if (checked.issues === undefined) return checked.value
  const problems = checked.issues.slice(0, MOST_ISSUES).map(describe).join('; ')
  throw new PosthornError('PAYLOAD_INVALID', `outbox ${outbox}: ${type}: ${problems}`)
}

function describe({ path = [], message }: PayloadIssue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return place === '' ? message : `${place}: ${message}`
}
