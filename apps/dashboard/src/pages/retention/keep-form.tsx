import { Button, Checkbox, Group, NumberInput, Select, Text } from '@mantine/core'
import { type ItemOf, useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ActionForm } from '../../parts/act/confirm.tsx'
import { DialogButton, useDraft } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/use-action.ts'

interface KeepProps {
  readonly dataClass: DataClass
  readonly scope: Scope
}

const SET_BY = { organisation: 'set here', platform: 'set for all', default: '' } as const

/** How long a class is kept; where that can be set, a button for it. */
export function KeepButton({ dataClass, scope }: KeepProps) {
  const words = keepWords(dataClass.keep)
  const note = SET_BY[dataClass.keepSetBy]
  return (
    <Group gap={6} wrap="nowrap">
      {dataClass.settable ? (
        <DialogButton
          to="administer"
          variant="default"
          size="compact-sm"
          label={words}
          title={dataClass.title}
          aria-label={`${dataClass.title}: kept for ${words}. Change`}
        >
          {(close) => <KeepForm dataClass={dataClass} scope={scope} onClose={close} />}
        </DialogButton>
      ) : (
        <Text size="sm">{words}</Text>
      )}
      {note !== '' && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Group>
  )
}

function KeepForm({ dataClass, scope, onClose }: KeepProps & { readonly onClose: () => void }) {
  const api = useApi()
  const { class: name, keep, least, leaves } = dataClass
  const parts = partsOf(keep)
  const { draft, value, choice, check } = useDraft({
    isForever: parts === undefined,
    count: (parts?.count ?? 90) as number | string,
    unit: parts?.unit ?? ('d' as Unit),
  })
  const { isForever, count, unit } = draft
  const set = useAction({
    run: (wanted: string | null = isForever ? 'forever' : `${count}${unit}`) =>
      dataOf(api.PUT('/api/v1/retention', { body: { class: name, keep: wanted, scope } })),
    done: (answer) => `${answer.title}: kept for ${keepWords(answer.keep)}.`,
    changes: ['retention'],
  })
  return (
    <ActionForm
      action={set}
      onClose={onClose}
      verb="Save"
      aside={
        <Button
          variant="default"
          onClick={() => set.mutate(null, { onSuccess: onClose })}
          disabled={set.isPending}
        >
          Use the default
        </Button>
      }
    >
      <Text size="sm">What stays: {leaves}</Text>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <NumberInput
          label="Kept for"
          {...value('count')}
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
          {...choice('unit')}
          data={Object.entries(UNITS).map(([id, label]) => ({ value: id as Unit, label }))}
          disabled={isForever}
        />
      </Group>
      <Checkbox label="Keep for ever" {...check('isForever')} />
      {least !== null && (
        <Text size="xs" c="dimmed">
          At least {keepWords(least)}.
        </Text>
      )}
    </ActionForm>
  )
}

export type DataClass = ItemOf<'/api/v1/retention'>

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
