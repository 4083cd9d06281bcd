import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import {
  ActButton,
  ButtonLink,
  callSimulator,
  Empty,
  PageFrame,
  QueryState,
  Time,
  useClaims,
  useUser,
} from '@posthorn/dashboard/kit'
import { useQuery } from '@tanstack/react-query'
import { accept, decline } from './family-api.ts'

/** The event stream does not announce mails. */
const LOOK_MS = 3_000

/** Mails in the mailbox of development, newest first. */
export function Mails({ isWanted = () => true }: { isWanted?: (mail: Mail) => boolean }) {
  const query = useQuery({
    queryKey: ['mail', 'list'],
    queryFn: ({ signal }) =>
      callSimulator<{ items: readonly Mail[] }>('/sim/mail/requests?limit=100', { signal }),
    refetchInterval: LOOK_MS,
  })
  return (
    <QueryState query={query}>
      {({ items }) => {
        const wanted = items.filter(isWanted)
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
      done={({ family }) => `${sub} joined the family ${family.name}.`}
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
      done={({ invitation }) => `Invitation of ${invitation.email} declined.`}
      changes={['families', 'mail']}
    >
      The link stops working. The family can send another invitation.
    </ActButton>
  )
}

interface Mail {
  readonly id: number
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

interface AcceptLink {
  readonly href: string
  readonly token: string
}

/** The first web link with a token in a mail's text. */
export function acceptLinkIn(text: string): AcceptLink | undefined {
  for (const [href] of text.matchAll(/https?:\/\/\S+/g)) {
    const token = URL.canParse(href) ? new URL(href).searchParams.get('token') : null
    if (token !== null && token !== '') return { href, token }
  }
  return undefined
}

/** Mails that development keeps instead of sending them. */
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
