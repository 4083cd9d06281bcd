import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/act/confirm.tsx'
import { PermittedButton } from '../../parts/act/permitted.tsx'
import { useAction } from '../../parts/act/use-action.ts'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { KeyValue } from '../../parts/show/stat.tsx'
import { Time } from '../../parts/show/time.tsx'
import type { Channel, NewChannel } from './incidents.tsx'

const KINDS: Readonly<Record<Channel['kind'], string>> = {
  email: 'E-mail',
  slack: 'Slack webhook',
  pagerduty: 'PagerDuty events',
}

/** Where notices of incidents go. */
export function Notices() {
  const api = useApi()
  const [isAdding, adding] = useDisclosure(false)
  const query = useQuery({
    queryKey: ['notice-channels'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/notice-channels', { signal })),
    refetchInterval: 5_000,
  })
  return (
    <SectionFrame
      lead="Who hears when an incident opens, goes on after a snooze, or is over. Notices go through an outbox of their own: they are retried, and seen under Messages."
      actions={
        <PermittedButton to="operate" onClick={adding.open}>
          Add a channel
        </PermittedButton>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No channels yet">Notices are sent once there is one.</Empty>
          ) : (
            items.map((channel) => <ChannelPanel key={channel.id} channel={channel} />)
          )
        }
      </QueryState>
      <Modal opened={isAdding} onClose={adding.close} title="Add a channel">
        <ChannelForm onClose={adding.close} />
      </Modal>
    </SectionFrame>
  )
}

function ChannelPanel({ channel }: { channel: Channel }) {
  const api = useApi()
  const { id, name, kind, shown, tenant, lastNotice } = channel
  const params = { path: { id } }
  const test = useAction({
    run: () => dataOf(api.POST('/api/v1/notice-channels/{id}/test', { params })),
    done: () => `A test is on its way to ${name}.`,
    changes: ['notice-channels'],
  })
  const remove = useAction({
    run: () => dataOf(api.DELETE('/api/v1/notice-channels/{id}', { params })),
    done: () => `${name} removed.`,
    changes: ['notice-channels'],
  })
  return (
    <Panel
      title={name}
      actions={
        <Group gap="xs">
          <PermittedButton
            to="operate"
            variant="default"
            loading={test.isPending}
            onClick={() => test.mutate(undefined)}
          >
            Send a test
          </PermittedButton>
          <ConfirmButton
            to="operate"
            label="Remove"
            title={`Remove ${name}?`}
            verb="Remove"
            tone="danger"
            onConfirm={() => remove.mutateAsync(undefined)}
          >
            No more notices go there. Its address is forgotten.
          </ConfirmButton>
        </Group>
      }
    >
      <KeyValue
        facts={{
          Kind: KINDS[kind],
          Address: shown,
          'Hears of': tenant === null ? 'incidents of all organisations' : `incidents of ${tenant}`,
          Added: (
            <>
              by {channel.createdBy} <Time at={channel.createdAt} />
            </>
          ),
          'Last notice':
            lastNotice === null ? (
              'none yet'
            ) : (
              <>
                {lastNotice.status} <Time at={lastNotice.at} />
                {lastNotice.error !== null && `: ${lastNotice.error}`}
              </>
            ),
        }}
      />
    </Panel>
  )
}

interface Draft {
  readonly kind: Channel['kind']
  readonly name: string
  readonly address: string
  readonly routingKey: string
}

function bodyOf({ kind, name, address, routingKey }: Draft): NewChannel {
  if (kind === 'email') return { kind, name, address }
  if (kind === 'slack') return { kind, name, url: address }
  return { kind, name, routingKey, ...(address !== '' && { url: address }) }
}

function ChannelForm({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [draft, setDraft] = useState<Draft>({
    kind: 'email',
    name: '',
    address: '',
    routingKey: '',
  })
  const create = useAction({
    run: (body: NewChannel) => dataOf(api.POST('/api/v1/notice-channels', { body })),
    done: ({ name }) => `${name} added. Send a test to see whether it arrives.`,
    changes: ['notice-channels'],
  })
  const field = (name: 'name' | 'address' | 'routingKey') => ({
    value: draft[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      setDraft((known) => ({ ...known, [name]: value })),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    create.mutate(bodyOf(draft), { onSuccess: onClose })
  }
  const { kind } = draft
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          label="Kind"
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          value={kind}
          allowDeselect={false}
          onChange={(value) =>
            setDraft((known) => ({ ...known, kind: value as Channel['kind'], address: '' }))
          }
        />
        <TextInput label="Name" {...field('name')} required maxLength={100} data-autofocus />
        {kind === 'email' && (
          <TextInput label="E-mail address" type="email" {...field('address')} required />
        )}
        {kind === 'slack' && (
          <TextInput
            label="Webhook URL"
            description="An incoming webhook of Slack, Mattermost or the like."
            type="url"
            {...field('address')}
            required
          />
        )}
        {kind === 'pagerduty' && (
          <>
            <TextInput label="Routing key" type="password" {...field('routingKey')} required />
            <TextInput
              label="Events URL"
              description="Left out, PagerDuty’s own."
              type="url"
              {...field('address')}
            />
          </>
        )}
        <Text size="sm" c="dimmed">
          Addresses and keys are encrypted; of a URL only its host is shown again.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Add channel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
