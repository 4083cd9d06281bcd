import { Group, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  AnchorLink,
  Form,
  type ItemOf,
  Panel,
  PermittedButton,
  put,
  QueryState,
  Timeline,
  useAction,
  useDraft,
  useFresh,
  useLink,
  useRead,
} from '@posthorn/dashboard/kit'

type Notification = ItemOf<'/api/v1/file-jobs/{id}/notifications'>

const KINDS: Readonly<Record<Notification['kind'], string>> = {
  N1: 'First result',
  N2: 'Final result',
  REJECTED: 'Rejected',
}

/** The merchant's notifications about a file, and whether they arrived. */
export function Notifications({ id }: { id: string }) {
  const queryKey = ['file-jobs', id, 'notifications']
  const query = useRead('/api/v1/file-jobs/{id}/notifications', queryKey, {
    params: { path: { id } },
  })
  // Its own mails, and the webhooks of whichever system delivers them.
  useFresh(queryKey, ({ kind }) => kind === 'transition')
  return (
    <Panel title="Merchant notifications">
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet. The first result (N1) is sent when every row has had an attempt, the final
              result (N2) at the end.
            </Text>
          ) : (
            <Timeline
              entries={items.map((notification) => ({
                id: notification.id,
                at: notification.createdAt,
                role: notification.kind === 'REJECTED' ? 'dead' : 'sent',
                what: (
                  <>
                    {notification.message}{' '}
                    <Text span c="dimmed" size="sm">
                      {KINDS[notification.kind]}
                      {notification.kind !== 'REJECTED' && ` (${notification.kind})`}
                      {notification.round > 1 && `, round ${notification.round}`}
                    </Text>
                  </>
                ),
                details: <Receipt notification={notification} />,
              }))}
            />
          )
        }
      </QueryState>
      <div style={{ marginTop: 14 }}>
        <MailSettings />
      </div>
    </Panel>
  )
}

const MAIL_WORDS = { PENDING: 'on its way', SENT: 'sent', FAILED: 'not sent' } as const

function DeliveryLink({ id, children }: { id: string; children: ReactNode }) {
  const to = useLink('webhook delivery', id)
  return to === undefined ? (
    <Text size="sm">{children}</Text>
  ) : (
    <AnchorLink to={to} size="sm">
      {children}
    </AnchorLink>
  )
}

/** Whether a notification was received: by webhook, and by mail where the organisation wants one. */
function Receipt({ notification: { deliveries, mail } }: { notification: Notification }) {
  const endpoints = useLink('webhook endpoints')
  return (
    <Stack gap={2}>
      {deliveries.length === 0 && (
        <Text size="sm" c="dimmed">
          No webhook endpoint subscribed to it.{' '}
          {endpoints !== undefined && <AnchorLink to={endpoints}>Add one</AnchorLink>}
        </Text>
      )}
      {deliveries.map(({ id, status, attempts }) => (
        <Group key={id} gap={6}>
          <DeliveryLink id={id}>Webhook {status.replace('_', ' ')}</DeliveryLink>
          {attempts > 0 && (
            <Text size="sm" c="dimmed">
              after {attempts} failed {attempts === 1 ? 'attempt' : 'attempts'}
            </Text>
          )}
        </Group>
      ))}
      {mail !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Mail to {mail.recipient} {MAIL_WORDS[mail.status]}
          {mail.error !== null && `: ${mail.error}`}
        </Text>
      )}
    </Stack>
  )
}

/** Where results are mailed to, beside the webhooks. */
function MailSettings() {
  const query = useRead('/api/v1/file-jobs/settings', ['file-jobs', 'settings'])
  return (
    <QueryState query={query}>
      {({ notificationEmail }) => (
        <MailForm key={notificationEmail ?? ''} known={notificationEmail ?? ''} />
      )}
    </QueryState>
  )
}

function MailForm({ known }: { known: string }) {
  const { draft, text } = useDraft({ email: known })
  const email = draft.email.trim()
  const save = useAction({
    run: () => {
      const body = { notificationEmail: email === '' ? null : email }
      return put('/api/v1/file-jobs/settings', { body })
    },
    done: ({ notificationEmail: to }) =>
      to === null ? 'Results are no longer mailed.' : `Results of all files are mailed to ${to}.`,
    changes: ['file-jobs'],
  })
  return (
    <Form onSubmit={() => save.mutate()}>
      <Group gap="xs" align="flex-end">
        <TextInput
          type="email"
          label="Mail results to"
          description="For all files of your organisation. Empty: no mail."
          {...text('email')}
          maxLength={254}
          w={{ base: '100%', xs: 320 }}
        />
        <PermittedButton
          to="write"
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={email === known}
        >
          Save
        </PermittedButton>
      </Group>
    </Form>
  )
}
