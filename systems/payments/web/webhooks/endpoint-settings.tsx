import { Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import type { EndpointFields, Retry } from './endpoint-fields.ts'
import { FilterEditor } from './filter-editor.tsx'

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
  { value: 'own', label: 'Waits of its own' },
]

const SIGNING = [
  { value: 'hmac', label: 'A shared secret (HMAC)' },
  { value: 'ed25519', label: 'A key pair (Ed25519): the receiver gets the public key' },
]

/** What most endpoints leave as it is. */
export function EndpointSettings({ fields, isNew, set }: EndpointSettingsProps) {
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
        description="Seconds after each failure, with blanks between; the last is repeated."
        defaultValue={retry.waits.join(' ')}
        onBlur={({ currentTarget }) =>
          set({ retry: { ...retry, waits: readWaits(currentTarget.value) } })
        }
        pattern="[0-9 ]+"
        required
      />
      <NumberInput
        label="Attempts"
        description="In all, the first included."
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
