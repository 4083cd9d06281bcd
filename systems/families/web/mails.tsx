import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/notice.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClaims } from '../../session/session-context.tsx'
import { accept, decline } from './family-api.ts'
import { acceptLinkIn, readMails, type Mail } from './mail.ts'

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
  const api = useApi()
  const { sub } = useClaims()
  const join = useAction({
    run: () => accept(api, token),
    done: ({ name }) => `${sub} joined the family ${name}.`,
    changes: ['families', 'mail'],
  })
  return (
    <ConfirmButton
      to="read"
      label={`Accept as ${sub}`}
      title={`Accept as ${sub}?`}
      verb="Accept"
      onConfirm={() => join.mutateAsync(undefined)}
    >
      The logged-in user joins the family: {sub}, regardless of the mail’s address.
    </ConfirmButton>
  )
}

function DeclineButton({ token }: { token: string }) {
  const api = useApi()
  const refuse = useAction({
    run: () => decline(api, token),
    done: ({ email }) => `Invitation of ${email} declined.`,
    changes: ['families', 'mail'],
  })
  return (
    <ConfirmButton
      label="Decline"
      title="Decline the invitation?"
      verb="Decline"
      tone="danger"
      onConfirm={() => refuse.mutateAsync(undefined)}
    >
      The link stops working. The family can send another invitation.
    </ConfirmButton>
  )
}
