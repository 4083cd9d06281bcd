import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { request } from 'undici'
import { CATEGORIES, Components, templateErrors, type TemplateRow } from './template.ts'

export interface ImportOptions {
  /** Where the Graph API is. */
  apiUrl(): string
  readonly version: string
  readonly timeoutMs: number
  /** Those of the settings, for a caller that names no account. */
  readonly own: BusinessAccount
}

export interface BusinessAccount {
  readonly accessToken: string
  readonly businessAccountId: string | null
}

export type Listed =
  | {
      readonly kind: 'listed'
      readonly templates: readonly ListedTemplate[]
      /** Names of those that have something which cannot be sent from here. */
      readonly skipped: readonly string[]
    }
  /** The account has no business account id. */
  | { readonly kind: 'unnamed' }
  /** WhatsApp refuses what the account says of itself: its token or its id. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

type ListedTemplate = Pick<TemplateRow, 'name' | 'language' | 'category' | 'components' | 'status'>

/** Asks Meta for the templates of an account; without one, of that of the settings. */
export type TemplateLister = (account: BusinessAccount | undefined) => Promise<Listed>

const Listing = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      language: Type.String(),
      category: Type.String(),
      status: Type.String(),
      components: Type.Array(Type.Unknown()),
    }),
  ),
  paging: Type.Optional(
    Type.Object({
      cursors: Type.Optional(Type.Object({ after: Type.Optional(Type.String()) })),
      next: Type.Optional(Type.String()),
    }),
  ),
})

const Known = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2,4})?$' }),
  category: Type.Enum([...CATEGORIES]),
  status: Type.String({ pattern: '^[A-Z_]{1,40}$' }),
  components: Components,
})

/** Meta allows 6,000 templates in an account. */
const MOST_PAGES = 60

export function createTemplateLister(options: ImportOptions): TemplateLister {
  return async (account = options.own) => {
    const { businessAccountId: id, accessToken } = account
    if (id === null) return { kind: 'unnamed' }
    const templates: ListedTemplate[] = []
    const skipped: string[] = []
    let after: string | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await readPage(options, { id, accessToken, after })
      if ('reason' in answer) return answer
      for (const each of answer.data) {
        if (Value.Check(Known, each) && templateErrors(each).length === 0) templates.push(each)
        else skipped.push(each.name)
      }
      after = answer.paging?.next === undefined ? undefined : answer.paging.cursors?.after
      if (after === undefined) break
    }
    return { kind: 'listed', templates, skipped }
  }
}

async function readPage(
  { apiUrl, version, timeoutMs }: ImportOptions,
  { id, accessToken, after }: { id: string; accessToken: string; after: string | undefined },
): Promise<Static<typeof Listing> | Exclude<Listed, { kind: 'listed' | 'unnamed' }>> {
  const query = new URLSearchParams({
    fields: 'name,language,category,status,components',
    limit: '100',
    ...(after !== undefined && { after }),
  })
  try {
    const { statusCode, body } = await request(
      `${apiUrl()}/${version}/${id}/message_templates?${query}`,
      {
        headers: { authorization: `Bearer ${accessToken}` },
        signal: AbortSignal.timeout(timeoutMs),
      },
    )
    const answer: unknown = await body.json()
    if (statusCode !== 200) {
      const isOurs = statusCode >= 400 && statusCode < 500 && statusCode !== 429
      const reason = reasonIn(answer) ?? `WhatsApp answered ${statusCode}.`
      return { kind: isOurs ? 'refused' : 'failed', reason }
    }
    return Value.Check(Listing, answer) ? answer : failedWith('WhatsApp answered in another form.')
  } catch (error) {
    return failedWith(`WhatsApp did not answer: ${error instanceof Error ? error.message : 'no'}`)
  }
}

function failedWith(reason: string) {
  return { kind: 'failed', reason } as const
}

function reasonIn(answer: unknown): string | undefined {
  const form = Type.Object({ error: Type.Object({ message: Type.String() }) })
  return Value.Check(form, answer) ? answer.error.message.slice(0, 500) : undefined
}
