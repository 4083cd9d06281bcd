import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import {
  ApiProblem,
  type BodyOf,
  ActButton,
  ActionForm,
  dataOf,
  type ItemOf,
  QueryState,
  StateBadge,
  Time,
  Timeline,
  useAction,
  useApi,
  useDraft,
  useRead,
} from '@posthorn/dashboard/kit'
import { consentEntryOf } from '../entries.tsx'

type Consent = ItemOf<'/api/v1/dossiers/{id}/consents'>
type NewConsent = BodyOf<'/api/v1/dossiers/{id}/consents/{channel}', 'put'>

/** What a dossier allows on each channel, to grant and to withdraw, and how it came to that. */
export function Consents({ id }: { id: string }) {
  const query = useRead('/api/v1/dossiers/{id}/consents', ['outbound', 'dossier', id, 'consents'], {
    params: { path: { id } },
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

function useConsent({ id, channel }: Pick<ConsentButtonProps, 'id' | 'channel'>) {
  const api = useApi()
  const params = { path: { id, channel } }
  return {
    set: (body: NewConsent) =>
      dataOf(api.PUT('/api/v1/dossiers/{id}/consents/{channel}', { params, body })),
    done: ({ granted }: { granted: boolean }) =>
      `Consent for ${channel} is ${granted ? 'granted' : 'withdrawn'}.`,
    changes: ['outbound', 'conversations'],
  }
}

function ConsentButton({ id, channel, isGranted }: ConsentButtonProps) {
  const { set, ...said } = useConsent({ id, channel })
  const [isGranting, granting] = useDisclosure(false)
  if (!isGranted) {
    return (
      <>
        <Button variant="default" onClick={granting.open}>
          Grant {channel}
        </Button>
        <Modal opened={isGranting} onClose={granting.close} title={`Grant consent for ${channel}?`}>
          <GrantForm {...{ id, channel }} onClose={granting.close} />
        </Modal>
      </>
    )
  }
  return (
    <ActButton
      key="withdraw"
      label={`Withdraw ${channel}`}
      title={`Withdraw consent for ${channel}?`}
      verb="Withdraw"
      tone="danger"
      run={() => set({ granted: false })}
      {...said}
    >
      All messages for {id} that wait on {channel} are cancelled. Messages already at the provider
      cannot be recalled.
    </ActButton>
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

/** A consent with what it rests on. */
function GrantForm({ id, channel, onClose }: { id: string; channel: string; onClose: () => void }) {
  const { set, ...said } = useConsent({ id, channel })
  const { draft, choice, text } = useDraft({
    source: 'api' as (typeof SOURCES)[number]['value'],
    proof: '',
    recipient: '',
  })
  const grant = useAction({
    run: () => {
      const { source, ...typed } = draft
      const given = Object.entries(typed).filter(([, value]) => value.trim() !== '')
      const named = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]))
      return set({ granted: true, source, ...named })
    },
    ...said,
  })
  return (
    <ActionForm action={grant} onClose={onClose} verb="Grant">
      <Text size="sm">
        From now on messages for {id} may be sent by {channel}. Grant only with the person’s
        consent.
      </Text>
      <Select label="Given by" data={SOURCES} {...choice('source')} />
      <TextInput
        label="Proof"
        description="Where the consent can be seen."
        {...text('proof')}
        maxLength={1_000}
      />
      <TextInput
        label={channel === 'email' ? 'Address' : 'Number'}
        description="If that one had opted out, it may be written to again."
        {...text('recipient')}
        maxLength={254}
      />
    </ActionForm>
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
