import { ApiProblem } from '../../api/problem.ts'

/** A mail as the simulated mailbox has it. */
export interface Mail {
  readonly id: number
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The newest mails; only in development, where a mailbox takes what is sent. */
export async function readMails(signal: AbortSignal): Promise<Mail[]> {
  const response = await fetch('/sim/mail/requests?limit=100', { cache: 'no-store', signal })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiProblem(response, body)
  return (body as { items: Mail[] }).items
}

export interface AcceptLink {
  readonly href: string
  readonly token: string
}

/** The link of an invitation in a mail's text; only the web is linked to. */
export function acceptLinkIn(text: string): AcceptLink | undefined {
  for (const [href] of text.matchAll(/https?:\/\/\S+/g)) {
    const token = URL.canParse(href) ? new URL(href).searchParams.get('token') : null
    if (token !== null && token !== '') return { href, token }
  }
  return undefined
}
