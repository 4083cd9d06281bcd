import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import {
  ApiProblem,
  ConfirmButton,
  dataOf,
  type paths,
  QueryState,
  sentenceOf,
  StateBadge,
  Time,
  Timeline,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import { consentEntryOf } from '../consent-entry.tsx'

type Consent =
  paths['/api/v1/dossiers/{id}/consents']['get']['responses']['200']['content']['application/json']['items'][number]
type NewConsent =
  paths['/api/v1/dossiers/{id}/consents/{channel}']['put']['requestBody']['content']['application/json']

/** What a dossier allows on each channel, to grant and to withdraw, and how it came to that. */
export function Consents({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'dossier', id, 'consents'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/dossiers/{id}/consents', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {({ items, channels }) => (
        <Stack gap="sm">
          {channels.map((channel) => (
            <Channel
              key={channel}
              {...{ id, channel }}
              said={items.find((consent) => consent.channel === channel)}
            />
          ))}
          {items.length > 0 && <History id={id} />}
        </Stack>
      )}
    </QueryState>
  )
}

interface ChannelProps {
  readonly id: string
  readonly channel: string
  /** What was said last; undefined if nothing was. */
  readonly said: Consent | undefined
}

function Channel({ id, channel, said }: ChannelProps) {
  const state = said === undefined ? 'not asked' : said.granted ? 'granted' : 'withdrawn'
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        <Text fw={600} w={80}>
          {channel}
        </Text>
        <StateBadge
          state={state}
          role={said === undefined ? undefined : said.granted ? 'confirmed' : 'cancelled'}
        />
        {said !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            since <Time at={said.updatedAt} />
          </Text>
        )}
      </Group>
      <ConsentButton {...{ id, channel }} isGranted={said?.granted ?? false} />
    </Group>
  )
}

interface ConsentButtonProps {
  readonly id: string
  readonly channel: string
  readonly isGranted: boolean
}

function ConsentButton({ id, channel, isGranted }: ConsentButtonProps) {
  const api = useApi()
  const [isGranting, granting] = useDisclosure(false)
  const change = useAction({
    run: (body: NewConsent) =>
      dataOf(
        api.PUT('/api/v1/dossiers/{id}/consents/{channel}', {
          params: { path: { id, channel } },
          body,
        }),
      ),
    done: ({ granted }) => `Consent for ${channel} is ${granted ? 'granted' : 'withdrawn'}.`,
    changes: ['outbound', 'conversations'],
  })
  if (!isGranted) {
    return (
      <>
        <Button variant="default" onClick={granting.open}>
          Grant {channel}
        </Button>
        <Modal opened={isGranting} onClose={granting.close} title={`Grant consent for ${channel}?`}>
          <GrantForm
            dossierId={id}
            channel={channel}
            onClose={granting.close}
            onGrant={(body) => change.mutateAsync(body)}
          />
        </Modal>
      </>
    )
  }
  return (
    <ConfirmButton
      key="withdraw"
      label={`Withdraw ${channel}`}
      title={`Withdraw consent for ${channel}?`}
      verb="Withdraw"
      tone="danger"
      onConfirm={() => change.mutateAsync({ granted: false })}
    >
      All messages for {id} that wait on {channel} are cancelled. Messages already at the provider
      cannot be recalled.
    </ConfirmButton>
  )
}

const SOURCES = [
  { value: 'api', label: 'noted here' },
  { value: 'form', label: 'a form' },
  { value: 'paper', label: 'paper' },
  { value: 'spoken', label: 'spoken' },
  { value: 'message', label: 'a message' },
  { value: 'import', label: 'another system' },
] as const

interface GrantFormProps {
  readonly dossierId: string
  readonly channel: string
  readonly onClose: () => void
  readonly onGrant: (body: NewConsent) => Promise<unknown>
}

/** A consent with what it rests on. */
function GrantForm({ dossierId, channel, onClose, onGrant }: GrantFormProps) {
  const [source, setSource] = useState<(typeof SOURCES)[number]['value']>('api')
  const [proof, setProof] = useState('')
  const [recipient, setRecipient] = useState('')
  const [error, setError] = useState<unknown>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const typed = { proof, recipient }
    const given = Object.entries(typed).filter(([, text]) => text.trim() !== '')
    const named = Object.fromEntries(given.map(([name, text]) => [name, text.trim()]))
    onGrant({ granted: true, source, ...named }).then(onClose, setError)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          From now on messages for {dossierId} may be sent by {channel}. Grant only with the
          person’s consent.
        </Text>
        <Select
          label="Given by"
          data={SOURCES}
          value={source}
          onChange={(value) => value !== null && setSource(value)}
          allowDeselect={false}
        />
        <TextInput
          label="Proof"
          description="Where the consent can be seen."
          value={proof}
          onChange={({ currentTarget }) => setProof(currentTarget.value)}
          maxLength={1_000}
        />
        <TextInput
          label={channel === 'email' ? 'Address' : 'Number'}
          description="If that one had opted out, it may be written to again."
          value={recipient}
          onChange={({ currentTarget }) => setRecipient(currentTarget.value)}
          maxLength={254}
        />
        {error !== undefined && (
          <Alert color="red" role="alert">
            {sentenceOf(error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Grant</Button>
        </Group>
      </Stack>
    </form>
  )
}

const MOST = 50

/** Every grant and withdrawal, newest first. */
function History({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'dossier', id, 'consent-history'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: MOST } }
      const page = dataOf(api.GET('/api/v1/dossiers/{id}/consent-history', { params, signal }))
      return page.catch((error: unknown) => {
        if (error instanceof ApiProblem && error.status === 404) return { items: [] }
        throw error
      })
    },
  })
  return (
    <QueryState query={query}>
      {({ items }) => <Timeline entries={items.map(consentEntryOf)} />}
    </QueryState>
  )
}
