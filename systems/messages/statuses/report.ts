import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { InboundValue, numberIn, userIdIn } from '../conversations/inbound.ts'

export const REPORTED = ['sent', 'delivered', 'read', 'failed'] as const

/** A provider says each word of a message once; a second one is a repeat. */
export interface ReportKey {
  readonly providerMessageId: string
  readonly status: (typeof REPORTED)[number]
}

/** What the provider says became of a message. */
export interface Report extends ReportKey {
  /** Our own id of the message, if it came back. */
  readonly opaqueId: string | null
  /** Which of its attempts; null where only the id came back, or nothing. */
  readonly attemptNo: number | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  /** Our number that sent it. */
  readonly numberId?: string | undefined
  /** Meta's id of the person whom it was sent to. */
  readonly userId?: string | null
  /** When it happened, by the provider's clock. */
  readonly at: string | null
}

/** The parts of Meta's body that are read; all else may be as it likes. */
export const WebhookBody = Type.Object(
  {
    entry: Type.Array(
      Type.Object(
        {
          time: Type.Optional(Type.Unknown()),
          changes: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  field: Type.Optional(Type.Unknown()),
                  value: Type.Optional(
                    Type.Object(
                      {
                        statuses: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10_000 })),
                        ...InboundValue,
                      },
                      { additionalProperties: true },
                    ),
                  ),
                },
                { additionalProperties: true },
              ),
              { maxItems: 1_000 },
            ),
          ),
        },
        { additionalProperties: true },
      ),
      { maxItems: 1_000 },
    ),
  },
  { additionalProperties: true },
)

const Status = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 500 }),
  status: Type.Enum([...REPORTED]),
  timestamp: Type.Optional(Type.Unknown()),
  biz_opaque_callback_data: Type.Optional(Type.String()),
  recipient_user_id: Type.Optional(Type.Unknown()),
  errors: Type.Optional(Type.Array(Type.Unknown())),
})

const StatusError = Type.Object({
  code: Type.Union([Type.Integer(), Type.String({ maxLength: 100 })]),
  title: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  error_data: Type.Optional(Type.Object({ details: Type.Optional(Type.String()) })),
})

/** What went out with the message: its id and the number of the attempt, which older ones lack. */
const CALLBACK_DATA = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::(\d{1,9}))?$/

/** Every report of a webhook, each once; what is none is left out, and how many those were. */
export function readReports(body: Static<typeof WebhookBody>): {
  reports: Report[]
  others: number
} {
  const statuses = body.entry
    .flatMap(({ changes = [] }) => changes)
    .flatMap(({ value }) => (value?.statuses ?? []).map((status) => [status, value] as const))
  const reports = new Map<string, Report>()
  let others = 0
  for (const [status, value] of statuses) {
    const report = reportOf(status, value)
    if (!report) others += 1
    // A repeat within a batch says nothing new; the order of the first ones is kept.
    else if (!reports.has(keyOf(report))) reports.set(keyOf(report), report)
  }
  return { reports: [...reports.values()], others }
}

export function keyOf({ providerMessageId, status }: ReportKey): string {
  return `${status} ${providerMessageId}`
}

function reportOf(status: unknown, value: unknown): Report | undefined {
  if (!Value.Check(Status, status)) return undefined
  const { id, status: word, biz_opaque_callback_data: opaque = '', errors = [] } = status
  const error = errors.find((each) => Value.Check(StatusError, each))
  const failed = word === 'failed' ? error : undefined
  const [, opaqueId = null, attemptNo] = CALLBACK_DATA.exec(opaque) ?? []
  return {
    providerMessageId: id,
    status: word,
    opaqueId,
    attemptNo: attemptNo === undefined ? null : Number(attemptNo),
    errorCode: word === 'failed' ? String(failed?.code ?? 'UNKNOWN') : null,
    errorMessage: word === 'failed' ? (textOf(failed) ?? 'The provider gave no reason.') : null,
    numberId: numberIn(value),
    userId: userIdIn(status.recipient_user_id),
    at: timeOf(status.timestamp),
  }
}

/** Meta writes whole seconds, as text; a time of another century is none. */
function timeOf(timestamp: unknown): string | null {
  const text = String(timestamp)
  return /^\d{9,10}$/.test(text) ? new Date(Number(text) * 1_000).toISOString() : null
}

function textOf(error: Static<typeof StatusError> | undefined): string | undefined {
  const text = error?.error_data?.details ?? error?.message ?? error?.title
  return text?.slice(0, 2_000)
}
