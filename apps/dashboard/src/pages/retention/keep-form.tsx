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
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { keepWords, partsOf, UNITS, type DataClass, type Scope, type Unit } from './data-class.ts'

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
