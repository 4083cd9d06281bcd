import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { post, sentenceOf, useAction } from '@posthorn/dashboard/kit'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { type Endpoint, useEventTypes } from './webhook.tsx'

/** The comparisons of a condition, with their labels. */
const COMPARISONS = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  exists: 'is there',
  moreThan: 'is more than',
  atLeast: 'is at least',
  lessThan: 'is less than',
  atMost: 'is at most',
} as const

interface FilterEditorProps {
  readonly filter: Filter | null
  readonly onChange: (filter: Filter | null) => void
}

const CHOICES = Object.entries(COMPARISONS).map(([value, label]) => ({ value, label }))
const NEW: Row = { path: '/data/amount', comparison: 'atLeast', value: '100' }

/** Filters events by their content, with a test on a sample. */
export function FilterEditor({ filter, onChange }: FilterEditorProps) {
  const [rows, setRows] = useState<readonly Row[]>(() => (filter?.conditions ?? []).map(rowOf))
  const match = filter?.match ?? 'all'
  const become = (next: readonly Row[], how = match) => {
    setRows(next)
    onChange(next.length === 0 ? null : { match: how, conditions: next.map(conditionOf) })
  }
  const change = (at: number, part: Partial<Row>) =>
    become(rows.map((row, i) => (i === at ? { ...row, ...part } : row)))
  return (
    <Stack gap="xs" role="group" aria-label="Filter">
      <Text size="sm" fw={500}>
        Filter
      </Text>
      {rows.length === 0 && (
        <Text size="xs" c="dimmed">
          All events of these types. Add a condition to send only some.
        </Text>
      )}
      {rows.length > 1 && (
        <Select
          aria-label="How many must hold"
          data={[
            { value: 'all', label: 'All conditions must hold' },
            { value: 'any', label: 'One of the conditions must hold' },
          ]}
          value={match}
          onChange={(value) => become(rows, value === 'any' ? 'any' : 'all')}
          allowDeselect={false}
        />
      )}
      {rows.map((row, at) => (
        <Group key={at} gap={6} wrap="nowrap">
          <TextInput
            aria-label="Path in the event"
            value={row.path}
            onChange={({ currentTarget }) => change(at, { path: currentTarget.value })}
            placeholder="/data/amount"
            style={{ flex: 2 }}
            required
          />
          <Select
            aria-label="Comparison"
            data={CHOICES}
            value={row.comparison}
            onChange={(value) => change(at, { comparison: (value ?? 'equals') as Comparison })}
            allowDeselect={false}
            style={{ flex: 2 }}
          />
          <TextInput
            aria-label="Value"
            value={row.value}
            onChange={({ currentTarget }) => change(at, { value: currentTarget.value })}
            style={{ flex: 2 }}
          />
          <ActionIcon
            variant="default"
            aria-label="Remove the condition"
            onClick={() => become(rows.filter((_, i) => i !== at))}
          >
            <IconTrash size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          disabled={rows.length >= 10}
          onClick={() => become([...rows, NEW])}
        >
          Add a condition
        </Button>
      </Group>
      {filter !== null && <TryFilter filter={filter} />}
    </Stack>
  )
}

function TryFilter({ filter }: { filter: Filter }) {
  const types = useEventTypes()
  const [eventType, setEventType] = useState('payment.succeeded')
  const attempt = useAction({
    run: () => post('/api/v1/webhook-filters/test', { body: { filter, eventType } }),
    done: ({ matches }) => (matches ? 'The sample is sent.' : 'The sample is not sent.'),
    changes: [],
  })
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Try it on a sample"
        data={types}
        value={eventType}
        onChange={(value) => setEventType(value ?? eventType)}
        allowDeselect={false}
      />
      <Button
        variant="default"
        loading={attempt.isPending}
        onClick={() => attempt.mutate(undefined)}
      >
        Try
      </Button>
      <Text size="sm" role="status">
        {attempt.error !== null && sentenceOf(attempt.error)}
        {attempt.data !== undefined &&
          (attempt.data.matches ? 'This sample is sent.' : 'This sample is not sent.')}
      </Text>
    </Group>
  )
}

export type Filter = NonNullable<Endpoint['filter']>
export type Condition = Filter['conditions'][number]

type Comparison = keyof typeof COMPARISONS

const NAMES = Object.keys(COMPARISONS) as Comparison[]

interface Row {
  readonly path: string
  readonly comparison: Comparison
  /** As typed; several with commas between. */
  readonly value: string
}

export function rowOf(condition: Condition): Row {
  const comparison = NAMES.find((name) => name in condition) ?? 'equals'
  const value = (condition as Record<string, unknown>)[comparison]
  const values = Array.isArray(value) ? value : [value]
  return { path: condition.path, comparison, value: values.map(String).join(', ') }
}

export function conditionOf({ path, comparison, value }: Row): Condition {
  return { path, [comparison]: valueOf(comparison, value) } as Condition
}

export function sentenceOfCondition(condition: Condition): string {
  const { path, comparison, value } = rowOf(condition)
  if (comparison === 'exists') return `${path} ${value === 'true' ? 'is there' : 'is not there'}`
  return `${path} ${COMPARISONS[comparison]} ${value}`
}

function valueOf(comparison: Comparison, text: string): unknown {
  if (comparison === 'exists') return text.trim() !== 'false'
  if (comparison === 'in') return text.split(',').map((word) => scalarOf(word.trim()))
  if (comparison === 'equals' || comparison === 'notEquals') return scalarOf(text.trim())
  return Number(text)
}

/** Reads numbers, true, false and null; a quoted text stays a text. */
function scalarOf(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  return /^"(.*)"$/.exec(text)?.[1] ?? text
}
