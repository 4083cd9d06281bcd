import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import {
  ConfirmButton,
  CopyId,
  dataOf,
  KeyValue,
  Panel,
  type paths,
  Permitted,
  QueryState,
  SectionFrame,
  sentenceOf,
  StateBadge,
  Time,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import { ProviderNote } from '../provider-note.tsx'
import { Figures } from './figures.tsx'
import { accountTitle, useAccounts, type Account } from './use-accounts.ts'

type NewAccount =
  paths['/api/v1/outbound/accounts']['post']['requestBody']['content']['application/json']

const CHANGED = ['outbound']

/** Whose credentials messages go out with, and what keeps an account from sending. */
export function Accounts() {
  const [isAdding, adding] = useDisclosure(false)
  const query = useAccounts()
  return (
    <SectionFrame
      lead="The WhatsApp accounts of your organisation, and the default ones of the server. An account that the provider refuses stops until it is mended; its messages wait."
      actions={
        <Permitted to="administer">
          <Button onClick={adding.open}>Add an account</Button>
        </Permitted>
      }
    >
      <QueryState query={query}>
        {({ items }) => items.map((account) => <AccountPanel key={account.id} account={account} />)}
      </QueryState>
      <Modal opened={isAdding} onClose={adding.close} title="Add a WhatsApp account" size="lg">
        <AccountForm onClose={adding.close} />
      </Modal>
    </SectionFrame>
  )
}

function AccountPanel({ account }: { account: Account }) {
  const { stops } = account
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
            Added: account.createdAt === null ? undefined : <Time at={account.createdAt} />,
          }}
        />
        <AccountActions account={account} />
        <Button
          variant="subtle"
          size="compact-sm"
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

function AccountActions({ account }: { account: Account }) {
  const api = useApi()
  const { id, name, stops, isDefault } = account
  const params = { path: { id } }
  const [isChanging, changing] = useDisclosure(false)
  const resume = useAction({
    run: () => dataOf(api.POST('/api/v1/outbound/accounts/{id}/resume', { params })),
    done: () => 'Sending goes on.',
    changes: CHANGED,
  })
  const remove = useAction({
    run: () => dataOf(api.DELETE('/api/v1/outbound/accounts/{id}', { params })),
    done: () => `Account ${name} deleted.`,
    changes: CHANGED,
  })
  if (isDefault && stops.length === 0) return null
  return (
    <Permitted to={isDefault ? 'operate-all' : 'administer'}>
      <Group gap="xs">
        {stops.length > 0 && (
          <ConfirmButton
            to="administer"
            label="Resume sending"
            title="Resume sending?"
            verb="Resume"
            onConfirm={() => resume.mutateAsync(undefined)}
          >
            Messages that wait for the account are sent at once. If the cause is not mended, the
            account stops again with the first of them.
          </ConfirmButton>
        )}
        {!isDefault && (
          <>
            <Button variant="default" onClick={changing.open}>
              Change
            </Button>
            <ConfirmButton
              to="administer"
              label="Delete"
              title={`Delete account ${name}?`}
              verb="Delete account"
              tone="danger"
              onConfirm={() => remove.mutateAsync(undefined)}
            >
              Its credentials are removed. New messages go by your oldest other account, or by the
              default one.
            </ConfirmButton>
            <Modal opened={isChanging} onClose={changing.close} title={`Change ${name}`} size="lg">
              <AccountForm before={account} onClose={changing.close} />
            </Modal>
          </>
        )}
      </Group>
    </Permitted>
  )
}

interface Draft {
  readonly name: string
  readonly numbers: string
  readonly businessAccountId: string
  readonly accessToken: string
  readonly appSecret: string
  readonly verifyToken: string
}

/** What the form says; of an account that is changed, secrets that are left empty stay. */
function bodyOf(draft: Draft): Partial<NewAccount> & Pick<NewAccount, 'name' | 'phoneNumberIds'> {
  const given = (name: 'businessAccountId' | 'accessToken' | 'appSecret' | 'verifyToken') =>
    draft[name].trim() === '' ? {} : { [name]: draft[name].trim() }
  return {
    name: draft.name.trim(),
    phoneNumberIds: draft.numbers.split(/[\s,]+/).filter((id) => id !== ''),
    ...given('businessAccountId'),
    ...given('accessToken'),
    ...given('appSecret'),
    ...given('verifyToken'),
  }
}

function AccountForm({ before, onClose }: { before?: Account; onClose: () => void }) {
  const api = useApi()
  const isNew = before === undefined
  const [draft, setDraft] = useState<Draft>({
    name: before?.name ?? '',
    numbers: before?.phoneNumberIds.join(', ') ?? '',
    businessAccountId: before?.businessAccountId ?? '',
    ...{ accessToken: '', appSecret: '', verifyToken: '' },
  })
  const save = useAction({
    run: (body: ReturnType<typeof bodyOf>) =>
      isNew
        ? dataOf(api.POST('/api/v1/outbound/accounts', { body: body as NewAccount }))
        : dataOf(
            api.PATCH('/api/v1/outbound/accounts/{id}', {
              params: { path: { id: before.id } },
              body,
            }),
          ),
    done: ({ name }) => `Account ${name} saved.`,
    changes: CHANGED,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate(bodyOf(draft), { onSuccess: onClose })
  }
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setDraft((known) => ({ ...known, [name]: currentTarget.value })),
  })
  const secret = { type: 'password', autoComplete: 'off', required: isNew } as const
  const kept = isNew ? {} : { placeholder: 'unchanged' }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="Name" {...field('name')} required maxLength={100} data-autofocus />
          <TextInput
            label="Phone number ids"
            description="Meta’s ids, with commas between."
            {...field('numbers')}
            required
          />
          <TextInput label="Access token" {...field('accessToken')} {...secret} {...kept} />
          <TextInput label="App secret" {...field('appSecret')} {...secret} {...kept} />
          <TextInput label="Verify token" {...field('verifyToken')} {...secret} {...kept} />
          <TextInput
            label="Business account id"
            description="To import its templates."
            {...field('businessAccountId')}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          The three secrets are encrypted and never shown again.
        </Text>
        {save.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {isNew ? 'Add account' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
