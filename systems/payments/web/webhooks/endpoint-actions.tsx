import { Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ActButton, because, DialogButton, patch, post, remove } from '@posthorn/dashboard/kit'
import { EndpointForm, fieldsOf } from './endpoint-form.tsx'
import type { Endpoint } from './webhook.tsx'

const CHANGES = ['webhooks', 'webhook-endpoint']

/** The kinds of signing, and the effect of a change to each. */
const SIGNS = {
  hmac: {
    noun: 'secret',
    what: 'a shared secret',
    other: 'ed25519',
    change:
      'The receiver then checks signatures with a secret that is shown once. The key pair signs too for 24 hours.',
  },
  ed25519: {
    noun: 'key pair',
    what: 'asymmetric signing',
    other: 'hmac',
    change:
      'The receiver then checks signatures with the public key, and has nothing to keep secret. The secret signs too for 24 hours.',
  },
} as const

export function EndpointActions({ endpoint, onGone }: { endpoint: Endpoint; onGone: () => void }) {
  const navigate = useNavigate()
  const params = { path: { id: endpoint.id } }
  const [renewed, setRenewed] = useState<Renewed>()
  const { noun, other: otherSigning } = SIGNS[endpoint.signing]
  const other = SIGNS[otherSigning]
  const renew = (signing: Endpoint['signing']) => ({
    to: 'administer' as const,
    run: () =>
      post('/api/v1/webhook-endpoints/{id}/rotate-secret', { ...params, body: { signing } }),
    done: () => 'New secret created; the old one signs too for 24 hours.',
    changes: CHANGES,
    onDone: setRenewed,
  })
  return (
    <>
      <ActButton
        to="administer"
        label="Ping"
        button={{ variant: 'filled', disabled: endpoint.status === 'disabled' }}
        run={() => post('/api/v1/webhook-endpoints/{id}/ping', params)}
        done={() => 'A webhook.ping is queued.'}
        changes={CHANGES}
        onDone={({ deliveryId }) =>
          void navigate({
            to: '/webhooks/deliveries',
            search: { endpointId: endpoint.id, open: deliveryId },
          } as never)
        }
      />
      <EditButton endpoint={endpoint} />
      <ActButton
        {...renew(endpoint.signing)}
        label={`New ${noun}`}
        title={`Create a new ${noun}?`}
        verb={`Create ${noun}`}
      >
        Deliveries are signed with both for 24 hours, so that the receiver has time to change it.
      </ActButton>
      <ActButton
        {...renew(otherSigning)}
        label={`Use ${other.what}`}
        title={`Use ${other.what}?`}
        verb={`Create ${other.noun}`}
      >
        {other.change}
      </ActButton>
      <EndpointSwitch endpoint={endpoint} />
      <ActButton
        to="administer"
        label="Delete"
        title="Delete this endpoint?"
        verb="Delete endpoint"
        tone="danger"
        run={() => remove('/api/v1/webhook-endpoints/{id}', params)}
        done={() => 'Endpoint deleted.'}
        changes={['webhooks']}
        onDone={onGone}
      >
        Waiting deliveries are skipped. Past deliveries stay visible. This cannot be undone.
      </ActButton>
      <SecretDialog
        made={renewed}
        titles={['New secret (shown once)', 'New public key']}
        onKept={() => setRenewed(undefined)}
      />
    </>
  )
}

function EditButton({ endpoint }: { endpoint: Endpoint }) {
  const { id } = endpoint
  return (
    <DialogButton to="administer" variant="default" label="Edit" title="Edit endpoint">
      {(close) => (
        <EndpointForm
          before={fieldsOf(endpoint)}
          verb="Save"
          // What signs is changed by a new secret only.
          save={(fields) => {
            const { signing: _, ...body } = fields
            return patch('/api/v1/webhook-endpoints/{id}', { path: { id }, body })
          }}
          done="Endpoint saved."
          onClose={close}
        />
      )}
    </DialogButton>
  )
}

function EndpointSwitch({ endpoint }: { endpoint: Endpoint }) {
  const params = { path: { id: endpoint.id } }
  if (endpoint.status === 'disabled') {
    return (
      <ActButton
        to="administer"
        key="enable"
        label="Enable"
        title="Enable this endpoint?"
        verb="Enable endpoint"
        run={() => post('/api/v1/webhook-endpoints/{id}/enable', params)}
        done={() => 'Endpoint enabled.'}
        changes={CHANGES}
      >
        Missed events are not sent automatically: replay them afterwards.
      </ActButton>
    )
  }
  return (
    <ActButton
      to="administer"
      key="disable"
      label="Disable"
      title="Disable this endpoint?"
      verb="Disable endpoint"
      reason="optional"
      run={(reason) =>
        post('/api/v1/webhook-endpoints/{id}/disable', { ...params, body: because(reason) })
      }
      done={() => 'Endpoint disabled.'}
      changes={CHANGES}
    >
      Deliveries are skipped until it is enabled, and can be replayed then.
    </ActButton>
  )
}

/** What the receiver gets from a new endpoint or a rotation. */
export interface Renewed {
  /** Null where it is the public key of a pair. */
  readonly secret: string | null
  readonly publicKeys: readonly string[]
}

interface SecretDialogProps {
  readonly made: Renewed | undefined
  readonly titles: readonly [ofSecret: string, ofKey: string]
  readonly onKept: () => void
}

/** Stays open until the user confirms that the secret is saved. */
export function SecretDialog({ made, titles, onKept }: SecretDialogProps) {
  return (
    <Modal
      opened={made !== undefined}
      onClose={onKept}
      title={titles[made?.secret === null ? 1 : 0]}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {made !== undefined && <SecretOnce made={made} onKept={onKept} />}
    </Modal>
  )
}

/** A secret, which is shown once, or a public key. */
function SecretOnce({ made, onKept }: { made: Renewed; onKept: () => void }) {
  const text = made.secret ?? made.publicKeys[0] ?? ''
  return (
    <Stack gap="sm">
      <Text size="sm">
        {made.secret === null
          ? 'Give it to the receiver, which verifies the signatures with it. It is not secret: the endpoint’s page shows it again.'
          : 'Give it to the receiver, which verifies the signatures with it. It is stored encrypted and cannot be shown again; if it is lost, create a new one.'}
      </Text>
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {text}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            >
              {copied ? 'Copied' : made.secret === null ? 'Copy the key' : 'Copy the secret'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onKept}>I have saved it</Button>
      </Group>
    </Stack>
  )
}
