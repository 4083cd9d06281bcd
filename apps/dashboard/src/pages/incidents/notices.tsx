import { Group, Select, Text, TextInput } from '@mantine/core'
import { type BodyOf, type ItemOf, post, remove, useRead } from '../../api/client.tsx'
import { ActButton, ActionForm, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { Panel, PageFrame } from '../../parts/layout/page-frame.tsx'
import { KeyValue, Time } from '../../parts/show/facts.tsx'

type Channel = ItemOf<'/api/v1/notice-channels'>

const KINDS: Readonly<Record<Channel['kind'], string>> = {
  email: 'E-mail',
  slack: 'Slack webhook',
  pagerduty: 'PagerDuty events',
}

/** Where notices of incidents go. */
export function Notices() {
  const query = useRead('/api/v1/notice-channels', ['notice-channels'], { refetchInterval: 5_000 })
  return (
    <PageFrame
      lead="Where to send a notice when an incident opens, returns from a snooze or closes. Notices are messages too: they are retried, and listed under Messages."
      actions={
        <DialogButton to="operate" label="Add a channel" title="Add a channel">
          {(close) => <ChannelForm onClose={close} />}
        </DialogButton>
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
    </PageFrame>
  )
}

function ChannelPanel({ channel }: { channel: Channel }) {
  const { id, name, kind, shown, tenant, lastNotice } = channel
  const params = { path: { id } }
  return (
    <Panel
      title={name}
      actions={
        <Group gap="xs">
          <ActButton
            to="operate"
            label="Send a test"
            run={() => post('/api/v1/notice-channels/{id}/test', { ...params })}
            done={() => `Test sent to ${name}.`}
            changes={['notice-channels']}
          />
          <ActButton
            to="operate"
            label="Remove"
            title={`Remove ${name}?`}
            tone="danger"
            run={() => remove('/api/v1/notice-channels/{id}', { ...params })}
            done={() => `${name} removed.`}
            changes={['notice-channels']}
          >
            It receives no more notices, and its address is deleted.
          </ActButton>
        </Group>
      }
    >
      <KeyValue
        facts={{
          Kind: KINDS[kind],
          Address: shown,
          Scope: tenant ?? 'all organisations',
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

type NewChannel = BodyOf<'/api/v1/notice-channels'>

const EMPTY = { kind: 'email' as Channel['kind'], name: '', address: '', routingKey: '' }

function bodyOf({ kind, name, address, routingKey }: typeof EMPTY): NewChannel {
  if (kind === 'email') return { kind, name, address }
  if (kind === 'slack') return { kind, name, url: address }
  return { kind, name, routingKey, ...(address !== '' && { url: address }) }
}

function ChannelForm({ onClose }: { onClose: () => void }) {
  const { draft, set, text } = useDraft(EMPTY)
  const { kind } = draft
  const create = useAction({
    run: () => post('/api/v1/notice-channels', { body: bodyOf(draft) }),
    done: ({ name }) => `${name} added. Send a test to see whether it arrives.`,
    changes: ['notice-channels'],
  })
  return (
    <ActionForm action={create} onClose={onClose} verb="Add channel">
      <Select
        label="Kind"
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        value={kind}
        allowDeselect={false}
        onChange={(value) => set({ kind: value as Channel['kind'], address: '' })}
      />
      <TextInput label="Name" {...text('name')} required maxLength={100} data-autofocus />
      {kind === 'email' && (
        <TextInput label="E-mail address" type="email" {...text('address')} required />
      )}
      {kind === 'slack' && (
        <TextInput
          label="Webhook URL"
          description="An incoming webhook of Slack or a compatible service."
          type="url"
          {...text('address')}
          required
        />
      )}
      {kind === 'pagerduty' && (
        <>
          <TextInput label="Routing key" type="password" {...text('routingKey')} required />
          <TextInput
            label="Events URL"
            description="Leave empty for PagerDuty’s own."
            type="url"
            {...text('address')}
          />
        </>
      )}
      <Text size="sm" c="dimmed">
        Addresses and keys are encrypted; of a URL only its host is shown again.
      </Text>
    </ActionForm>
  )
}
