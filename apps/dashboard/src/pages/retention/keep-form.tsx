import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Text,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { PermittedButton } from '../../parts/act/permitted.tsx'
import { sentenceOf, useAction } from '../../parts/act/use-action.ts'

interface KeepProps {
  readonly dataClass: DataClass
  readonly scope: Scope
}

const SET_BY = { organisation: 'set here', platform: 'set for all', default: '' } as const

/** How long a class is kept; where that can be set, a button for it. */
export function KeepButton({ dataClass, scope }: KeepProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const words = keepWords(dataClass.keep)
  const note = SET_BY[dataClass.keepSetBy]
  return (
    <Group gap={6} wrap="nowrap">
      {dataClass.settable ? (
        <PermittedButton
          to="administer"
          variant="default"
          size="compact-sm"
          onClick={open}
          aria-label={`${dataClass.title}: kept for ${words}. Change`}
        >
          {words}
        </PermittedButton>
      ) : (
        <Text size="sm">{words}</Text>
      )}
      {note !== '' && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
      <Modal opened={isOpen} onClose={close} title={dataClass.title}>
        <KeepForm dataClass={dataClass} scope={scope} onClose={close} />
      </Modal>
    </Group>
  )
}

function KeepForm({ dataClass, scope, onClose }: KeepProps & { readonly onClose: () => void }) {
  const api = useApi()
  const { class: name, keep, least, leaves } = dataClass
  const parts = partsOf(keep)
  const [isForever, setForever] = useState(parts === undefined)
  const [count, setCount] = useState<number | string>(parts?.count ?? 90)
  const [unit, setUnit] = useState<Unit>(parts?.unit ?? 'd')
  const set = useAction({
    run: (wanted: string | null) =>
      dataOf(api.PUT('/api/v1/retention', { body: { class: name, keep: wanted, scope } })),
    done: (answer) => `${answer.title}: kept for ${keepWords(answer.keep)}.`,
    changes: ['retention'],
  })
  const save = (wanted: string | null) => set.mutate(wanted, { onSuccess: onClose })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save(isForever ? 'forever' : `${count}${unit}`)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">What stays: {leaves}</Text>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            label="Kept for"
            value={count}
            onChange={setCount}
            disabled={isForever}
            min={0}
            max={999_999}
            allowDecimal={false}
            allowNegative={false}
            required
            data-autofocus
          />
          <Select
            aria-label="Unit"
            value={unit}
            onChange={(value) => setUnit((value ?? 'd') as Unit)}
            data={Object.entries(UNITS).map(([value, label]) => ({ value, label }))}
            disabled={isForever}
            allowDeselect={false}
          />
        </Group>
        <Checkbox
          label="Keep for ever"
          checked={isForever}
          onChange={({ currentTarget }) => setForever(currentTarget.checked)}
        />
        {least !== null && (
          <Text size="xs" c="dimmed">
            At least {keepWords(least)}.
          </Text>
        )}
        {set.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(set.error)}
          </Alert>
        )}
        <Group justify="space-between" gap="xs">
          <Button variant="default" onClick={() => save(null)} disabled={set.isPending}>
            Use the default
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onClose} disabled={set.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={set.isPending}>
              Save
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

export type DataClass =
  paths['/api/v1/retention']['get']['responses']['200']['content']['application/json']['items'][number]

export type Scope = 'organisation' | 'platform'

/** Units in which a time is set, by the letter that the API has for them. */
const UNITS = { d: 'days', h: 'hours', m: 'minutes' } as const
type Unit = keyof typeof UNITS

/** A time in parts; undefined for ever. */
function partsOf(keep: string): { count: number; unit: Unit } | undefined {
  const [, count, unit] = /^(\d+)([dhm])$/.exec(keep) ?? []
  return count === undefined ? undefined : { count: Number(count), unit: unit as Unit }
}

/** `90 days`, `1 hour`, `for ever`. */
export function keepWords(keep: string): string {
  const parts = partsOf(keep)
  if (!parts) return 'for ever'
  const { count, unit } = parts
  if (count === 0) return 'not kept'
  const word = UNITS[unit]
  return `${count.toLocaleString('en-GB')} ${count === 1 ? word.slice(0, -1) : word}`
}
