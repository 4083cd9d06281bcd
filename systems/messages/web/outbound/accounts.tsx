import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  ActButton,
  ActionForm,
  type BodyOf,
  CopyId,
  DialogButton,
  KeyValue,
  Panel,
  patch,
  Permitted,
  post,
  QueryState,
  remove,
  PageFrame,
  StateBadge,
  Time,
  timeFact,
  useAction,
  useDraft,
} from '@posthorn/dashboard/kit'
import { ProviderNote } from '../entries.tsx'
import { Figures } from './figures.tsx'
import { accountTitle, useAccounts, type Account } from './use-accounts.ts'

type NewAccount = BodyOf<'/api/v1/outbound/accounts'>

const CHANGED = ['outbound']

export function Accounts() {
  const query = useAccounts()
  return (
    <PageFrame
      lead="The WhatsApp accounts of your organisation, and the default ones of the server. An account that the provider refuses stops until it is fixed; its messages wait."
      actions={
        <DialogButton
          to="administer"
          label="Add an account"
          title="Add a WhatsApp account"
          dialog={{ size: 'lg' }}
        >
          {(close) => <AccountForm onClose={close} />}
        </DialogButton>
      }
    >
      <QueryState query={query}>
        {({ items }) => items.map((account) => <AccountPanel key={account.id} account={account} />)}
      </QueryState>
    </PageFrame>
  )
}

function AccountPanel({ account }: { account: Account }) {
  const { stops, notices } = account
  const [isShown, shown] = useDisclosure(false)
  return (
    <Panel
      title={accountTitle(account)}
      actions={
        <StateBadge
          state={stops.length === 0 ? 'sending' : 'stopped'}
          role={stops.length === 0 ? 'confirmed' : 'dead'}
        />
      }
    >
      <Stack gap="sm">
        {stops.map((stop) => (
          <Alert key={stop.phoneNumberId ?? ''} color="red" role="note">
            <Stack gap={4}>
              <Text size="sm" component="div">
                {stop.phoneNumberId === null
                  ? 'Nothing is sent by this account'
                  : `Nothing is sent from number ${stop.phoneNumberId}`}{' '}
                since <Time at={stop.stoppedAt} />. One message is tried{' '}
                <Time at={stop.nextProbeAt} ahead />.
              </Text>
              <ProviderNote code={stop.code} message={stop.reason} />
            </Stack>
          </Alert>
        ))}
        {notices.length > 0 && (
          <Stack gap={4} role="list" aria-label="Notices from WhatsApp">
            {notices.map(({ field, subject, event, detail, saidAt }) => (
              <Text key={`${field} ${subject} ${event} ${saidAt}`} size="sm" role="listitem">
                <Time at={saidAt} /> {humanField(field)}:{' '}
                {[event, subject, detail].filter(Boolean).join(', ')}
              </Text>
            ))}
          </Stack>
        )}
        <KeyValue
          facts={{
            [account.channel === 'email' ? 'Sender' : 'Numbers']: account.phoneNumberIds.join(', '),
            'Business account': account.businessAccountId ?? undefined,
            'Webhook address':
              account.webhookPath === null ? undefined : (
                <CopyId
                  id={`${location.origin}${account.webhookPath}`}
                  what="address"
                  shown={120}
                />
              ),
            Added: timeFact(account.createdAt),
          }}
        />
        <AccountActions account={account} />
        <Button
          variant="transparent"
          size="compact-sm"
          px={0}
          fw={400}
          c="var(--accent)"
          aria-expanded={isShown}
          onClick={shown.toggle}
          style={{ alignSelf: 'flex-start' }}
        >
          {isShown ? 'Hide figures' : 'Show figures'}
        </Button>
        {isShown && <Figures account={account.id} />}
      </Stack>
    </Panel>
  )
}

/** `account_update` as people write it. */
function humanField(field: string): string {
  return field[0]?.toUpperCase() + field.slice(1).replaceAll('_', ' ')
}

function AccountActions({ account }: { account: Account }) {
  const { id, name, stops, isDefault } = account
  const params = { path: { id } }
  if (isDefault && stops.length === 0) return null
  return (
    <Permitted to={isDefault ? 'operate-all' : 'administer'}>
      <Group gap="xs">
        {stops.length > 0 && (
          <ActButton
            to="administer"
            label="Resume sending"
            title="Resume sending?"
            verb="Resume"
            run={() => post('/api/v1/outbound/accounts/{id}/resume', params)}
            done={() => 'Sending resumed.'}
            changes={CHANGED}
          >
            Messages that wait for the account are sent at once. If the cause is not fixed, the
            account stops again.
          </ActButton>
        )}
        {!isDefault && (
          <>
            <DialogButton
              to="administer"
              variant="default"
              label="Change"
              title={`Change ${name}`}
              dialog={{ size: 'lg' }}
            >
              {(close) => <AccountForm before={account} onClose={close} />}
            </DialogButton>
            <ActButton
              to="administer"
              label="Delete"
              title={`Delete account ${name}?`}
              verb="Delete account"
              tone="danger"
              run={() => remove('/api/v1/outbound/accounts/{id}', params)}
              done={() => `Account ${name} deleted.`}
              changes={CHANGED}
            >
              Its credentials are removed. New messages go by your oldest other account, or by the
              default one.
            </ActButton>
          </>
        )}
      </Group>
    </Permitted>
  )
}

const draftOf = (before: Account | undefined) => ({
  name: before?.name ?? '',
  numbers: before?.phoneNumberIds.join(', ') ?? '',
  businessAccountId: before?.businessAccountId ?? '',
  ...{ accessToken: '', appSecret: '', verifyToken: '' },
})

/** The request of the form; empty secrets stay unchanged. */
function bodyOf(
  draft: ReturnType<typeof draftOf>,
): Partial<NewAccount> & Pick<NewAccount, 'name' | 'phoneNumberIds'> {
  const { name, numbers, ...optional } = draft
  const given = Object.entries(optional).filter(([, value]) => value.trim() !== '')
  return {
    name: name.trim(),
    phoneNumberIds: numbers.split(/[\s,]+/).filter((id) => id !== ''),
    ...Object.fromEntries(given.map(([field, value]) => [field, value.trim()])),
  }
}

function AccountForm({ before, onClose }: { before?: Account; onClose: () => void }) {
  const isNew = before === undefined
  const { draft, text } = useDraft(draftOf(before))
  const save = useAction({
    run: () => {
      const body = bodyOf(draft)
      if (isNew) return post('/api/v1/outbound/accounts', { body: body as NewAccount })
      return patch('/api/v1/outbound/accounts/{id}', { path: { id: before.id }, body })
    },
    done: ({ name }) => `Account ${name} saved.`,
    changes: CHANGED,
  })
  const secret = { type: 'password', autoComplete: 'off', required: isNew } as const
  const kept = isNew ? {} : { placeholder: 'unchanged' }
  return (
    <ActionForm action={save} onClose={onClose} verb={isNew ? 'Add account' : 'Save'}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name" {...text('name')} required maxLength={100} data-autofocus />
        <TextInput
          label="Phone number ids"
          description="Meta’s ids, with commas between."
          {...text('numbers')}
          required
        />
        <TextInput label="Access token" {...text('accessToken')} {...secret} {...kept} />
        <TextInput label="App secret" {...text('appSecret')} {...secret} {...kept} />
        <TextInput label="Verify token" {...text('verifyToken')} {...secret} {...kept} />
        <TextInput
          label="Business account id"
          description="To import its templates."
          {...text('businessAccountId')}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        The three secrets are encrypted and never shown again.
      </Text>
    </ActionForm>
  )
}
