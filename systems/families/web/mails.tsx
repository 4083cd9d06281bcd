import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import {
  ActButton,
  ApiProblem,
  ButtonLink,
  Empty,
  PageFrame,
  QueryState,
  Time,
  useClaims,
  useUser,
} from '@posthorn/dashboard/kit'
import { useQuery } from '@tanstack/react-query'
import { accept, decline } from './family-api.ts'

/** A mailbox is no part of the stream. */
const LOOK_MS = 3_000

const ALL = () => true

/** Mails that the development's mailbox has taken, newest first. */
export function Mails({ isWanted = ALL }: { isWanted?: (mail: Mail) => boolean }) {
  const query = useQuery({
    queryKey: ['mail', 'list'],
    queryFn: ({ signal }) => readMails(signal),
    refetchInterval: LOOK_MS,
  })
  return (
    <QueryState query={query}>
      {(mails) => {
        const wanted = mails.filter(isWanted)
        return wanted.length === 0 ? (
          <Empty title="No mail yet">Invite a member: the mail appears here within seconds.</Empty>
        ) : (
          <Stack gap="sm">
            {wanted.map((mail) => (
              <Letter key={mail.id} mail={mail} />
            ))}
          </Stack>
        )
      }}
    </QueryState>
  )
}

function Letter({ mail }: { mail: Mail }) {
  const link = acceptLinkIn(mail.text)
  return (
    <Paper component="article" withBorder p="sm" aria-label={`Mail to ${mail.to}: ${mail.subject}`}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{mail.subject}</Text>
        <Time at={mail.at} />
      </Group>
      <Text size="sm" c="dimmed">
        to {mail.to}
      </Text>
      {link === undefined ? (
        <Text size="sm" mt={6} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {mail.text}
        </Text>
      ) : (
        <Group gap="sm" mt={6}>
          <Anchor href={link.href} target="_blank" rel="noreferrer" size="sm">
            Open link
          </Anchor>
          <AcceptButton token={link.token} />
          <DeclineButton token={link.token} />
        </Group>
      )}
    </Paper>
  )
}

function AcceptButton({ token }: { token: string }) {
  const { sub } = useClaims()
  return (
    <ActButton
      to="read"
      label={`Accept as ${sub}`}
      title={`Accept as ${sub}?`}
      verb="Accept"
      run={() => accept(token)}
      done={({ name }) => `${sub} joined the family ${name}.`}
      changes={['families', 'mail']}
    >
      The logged-in user joins the family: {sub}, regardless of the mail’s address.
    </ActButton>
  )
}

function DeclineButton({ token }: { token: string }) {
  return (
    <ActButton
      label="Decline"
      title="Decline the invitation?"
      tone="danger"
      run={() => decline(token)}
      done={({ email }) => `Invitation of ${email} declined.`}
      changes={['families', 'mail']}
    >
      The link stops working. The family can send another invitation.
    </ActButton>
  )
}

/** A mail as the simulated mailbox has it. */
interface Mail {
  readonly id: number
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The newest mails; only in development, where a mailbox takes what is sent. */
async function readMails(signal: AbortSignal): Promise<Mail[]> {
  const response = await fetch('/sim/mail/requests?limit=100', { cache: 'no-store', signal })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiProblem(response, body)
  return (body as { items: Mail[] }).items
}

interface AcceptLink {
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

/** What the development's mailbox took instead of sending it into the world. */
export function Mailbox() {
  const { production } = useUser()
  if (production) {
    return (
      <Empty title="No mailbox in production">In production mails go to their recipients.</Empty>
    )
  }
  return (
    <PageFrame
      title="Mailbox"
      lead={
        <>
          In development every mail is delivered here.{' '}
          <Anchor href="/sim/mail">Rendered mails</Anchor>
        </>
      }
      actions={
        <ButtonLink variant="default" to="/families">
          All families
        </ButtonLink>
      }
    >
      <Mails />
    </PageFrame>
  )
}
