import {
  Button,
  Checkbox,
  Collapse,
  Group,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  ActionForm,
  type Asked,
  type BodyOf,
  formatDuration,
  useAction,
  useDraft,
  useSettings,
} from '@posthorn/dashboard/kit'
import { FilterEditor } from './filter-editor.tsx'
import { type Endpoint, subscriptionsTo, useEventTypes } from './webhook.tsx'

type Retry = { preset: 'quick' | 'hours' | 'days' } | { waits: number[]; attempts: number }

interface EndpointFields extends Required<Omit<BodyOf<'/api/v1/webhook-endpoints'>, 'retry'>> {
  readonly retry: Retry
}

const DEFAULTS: EndpointFields = {
  url: '',
  eventTypes: ['*'],
  ordered: false,
  retry: { preset: 'quick' },
  timeoutMs: null,
  ratePerSecond: null,
  signing: 'hmac',
  filter: null,
}

export function fieldsOf(endpoint: Endpoint): EndpointFields {
  const { url, eventTypes, ordered, timeoutMs, ratePerSecond, signing, filter } = endpoint
  const { preset, waits, attempts } = endpoint.retry
  return {
    ...{ url, eventTypes, ordered, timeoutMs, ratePerSecond, signing, filter },
    retry: preset === null ? { waits, attempts } : { preset },
  }
}

/** `5 attempts, after 2 s, 4 s, 8 s, 16 s`. */
export function sentenceOfRetry({ waits, attempts }: Endpoint['retry']): string {
  if (attempts === 1) return '1 attempt'
  const shown = waits
    .slice(0, attempts - 1)
    .map((seconds) => (seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000)))
  const last = attempts - 1 > waits.length ? `, then every ${shown.at(-1)}` : ''
  return `${attempts} attempts, after ${shown.join(', ')}${last}`
}

interface EndpointFormProps<Saved> {
  /** Left out for a new endpoint. */
  readonly before?: EndpointFields
  readonly verb: string
  readonly save: (fields: EndpointFields) => Asked<Saved>
  readonly done: string
  readonly onClose: () => void
  readonly onDone?: (saved: Saved) => void
}

export function EndpointForm<Saved>(props: EndpointFormProps<Saved>) {
  const { before, verb, save, done, onClose, onDone } = props
  const { production } = useSettings()
  const { draft, set, text, value, check } = useDraft(before ?? DEFAULTS)
  const [isMore, { toggle }] = useDisclosure(false)
  const types = useEventTypes()
  const action = useAction({
    run: () => save({ ...draft, url: draft.url.trim() }),
    done: () => done,
    changes: ['webhooks', 'webhook-endpoint'],
  })
  return (
    <ActionForm
      action={action}
      onClose={onClose}
      verb={verb}
      disabled={draft.eventTypes.length === 0}
      {...(onDone && { onDone })}
    >
      <TextInput
        type="url"
        label="Address"
        description={
          production
            ? 'Receives events by POST over https.'
            : `Receives events by POST. The simulated merchant is at ${location.origin}/sim/merchant/hooks.`
        }
        {...text('url')}
        required
        maxLength={2_048}
        data-autofocus
      />
      <TagsInput
        size="xs"
        label="Events"
        description="An event type, payment.* for a group, or * for all. Enter adds one."
        data={subscriptionsTo(types)}
        {...value('eventTypes')}
        required={draft.eventTypes.length === 0}
      />
      <Checkbox
        label="Ordered: events of one payment are sent one after the other"
        {...check('ordered')}
      />
      <Group>
        <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isMore}>
          {isMore ? 'Fewer settings' : 'More settings'}
        </Button>
      </Group>
      <Collapse expanded={isMore}>
        <EndpointSettings fields={draft} isNew={before === undefined} set={set} />
      </Collapse>
    </ActionForm>
  )
}

interface EndpointSettingsProps {
  readonly fields: EndpointFields
  /** What signs is changed later by a new secret. */
  readonly isNew: boolean
  readonly set: (change: Partial<EndpointFields>) => void
}

const RETRIES = [
  { value: 'quick', label: 'Quick: 5 attempts within half a minute' },
  { value: 'hours', label: 'Hours: 8 attempts within four hours' },
  { value: 'days', label: 'Days: 10 attempts within three days' },
  { value: 'own', label: 'Custom waits' },
]

const SIGNING = [
  { value: 'hmac', label: 'A shared secret (HMAC)' },
  { value: 'ed25519', label: 'Asymmetric (Ed25519): the receiver gets the public key' },
]

function EndpointSettings({ fields, isNew, set }: EndpointSettingsProps) {
  const { retry, timeoutMs, ratePerSecond, signing } = fields
  return (
    <Stack gap="sm">
      <FilterEditor filter={fields.filter} onChange={(filter) => set({ filter })} />
      <Select
        label="Retries"
        data={RETRIES}
        value={'preset' in retry ? retry.preset : 'own'}
        onChange={(value) => set({ retry: retryNamed(value) })}
        allowDeselect={false}
      />
      {'waits' in retry && <OwnWaits retry={retry} set={set} />}
      <Group grow align="flex-start">
        <NumberInput
          label="Timeout"
          description="Seconds for a whole request; 15 if empty."
          value={timeoutMs === null ? '' : timeoutMs / 1_000}
          onChange={(value) => set({ timeoutMs: value === '' ? null : Number(value) * 1_000 })}
          min={1}
          max={30}
          allowDecimal={false}
        />
        <NumberInput
          label="Rate"
          description="Requests a second; no limit if empty."
          value={ratePerSecond ?? ''}
          onChange={(value) => set({ ratePerSecond: value === '' ? null : Number(value) })}
          min={1}
          max={1_000}
          allowDecimal={false}
        />
      </Group>
      {isNew && (
        <Select
          label="Signature"
          data={SIGNING}
          value={signing}
          onChange={(value) => set({ signing: value === 'ed25519' ? 'ed25519' : 'hmac' })}
          allowDeselect={false}
        />
      )}
    </Stack>
  )
}

function retryNamed(value: string | null): Retry {
  if (value === 'quick' || value === 'hours' || value === 'days') return { preset: value }
  return { waits: [10, 60, 600], attempts: 4 }
}

function OwnWaits({
  retry,
  set,
}: {
  retry: Extract<Retry, { waits: number[] }>
  set: EndpointSettingsProps['set']
}) {
  return (
    <Group grow align="flex-start">
      <TextInput
        label="Waits"
        description="Seconds after each failure, separated by spaces; the last repeats."
        defaultValue={retry.waits.join(' ')}
        onBlur={({ currentTarget }) =>
          set({ retry: { ...retry, waits: readWaits(currentTarget.value) } })
        }
        pattern="[0-9 ]+"
        required
      />
      <NumberInput
        label="Attempts"
        description="Including the first."
        value={retry.attempts}
        onChange={(value) => set({ retry: { ...retry, attempts: Number(value) } })}
        min={1}
        max={50}
        allowDecimal={false}
        required
      />
    </Group>
  )
}

function readWaits(text: string): number[] {
  return text
    .split(/\D+/)
    .filter((word) => word !== '')
    .map(Number)
}
