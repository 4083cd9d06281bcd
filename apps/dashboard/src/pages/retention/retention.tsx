import {
  Badge,
  Button,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from '@mantine/core'
import { useState } from 'react'
import { type ItemOf, put, useRead } from '../../api/client.tsx'
import { countOf, formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { Time } from '../../parts/show/facts.tsx'
import { useUser } from '../../settings/settings.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { ActionForm, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'

/** Workers remove data without a word to this page. */
const EVERY_MS = 30_000

/** More are not counted for a look. */
const MOST_COUNTED = 10_000

/** What is kept, for how long, and how far its removal is. */
export function Retention() {
  const { role } = useUser()
  const [scope, setScope] = useState<Scope>('organisation')
  const classes = useRead('/api/v1/retention', ['retention', scope], {
    params: { query: { scope } },
    refetchInterval: EVERY_MS,
  })
  return (
    <PageFrame
      lead="How long finished data is kept. Data in use or under a legal hold stays."
      actions={
        role === 'platform' && (
          <SegmentedControl
            aria-label="Scope"
            value={scope}
            onChange={(value) => setScope(value)}
            data={[
              { value: 'organisation', label: 'My organisation' },
              { value: 'platform', label: 'Defaults for all' },
            ]}
          />
        )
      }
    >
      <QueryState query={classes}>
        {({ items }) => (
          <DataTable
            label="Kept data"
            list={items}
            columns={classColumns(scope)}
            idOf={(each) => each.class}
            tall
          />
        )}
      </QueryState>
    </PageFrame>
  )
}

function classColumns(scope: Scope): readonly Column<DataClass>[] {
  return [
    {
      id: 'data',
      title: 'Data',
      width: 'minmax(160px, 2fr)',
      cell: (each) => <ClassName dataClass={each} />,
    },
    {
      id: 'keep',
      title: 'Kept for',
      width: 'minmax(130px, 1fr)',
      cell: (each) => <KeepButton dataClass={each} scope={scope} />,
    },
    column.time('oldestAt', 'Oldest', { clock: 'business', width: '100px' }),
    {
      id: 'due',
      title: 'Due',
      align: 'right',
      isBold: ({ due }) => due !== null && due > 0,
      cell: ({ due }) => {
        if (due === null) return 'not counted'
        return `${formatCount(due)}${due >= MOST_COUNTED ? ' or more' : ''}`
      },
    },
    {
      id: 'last',
      title: 'Last run',
      width: 'minmax(110px, 1.2fr)',
      cell: (each) => <LastRun dataClass={each} />,
    },
    column.time('nextRunAt', 'Next run', { ahead: true, width: '100px', narrow: 'hidden' }),
  ]
}

function ClassName({ dataClass: { title, personal, class: name } }: { dataClass: DataClass }) {
  return (
    <Stack gap={0}>
      <Group gap={6}>
        <Text size="sm">{title}</Text>
        {personal && (
          <Badge size="xs" variant="default" title="Can say who a person is">
            personal
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
    </Stack>
  )
}

function LastRun({ dataClass }: { dataClass: DataClass }) {
  const { lastRunAt, lastError, lastRemoved } = dataClass
  if (lastRunAt === null) return 'not yet'
  return (
    <Group gap={6}>
      <Time at={lastRunAt} />
      {lastError !== null && (
        <Text size="xs" c="red" fw={700}>
          failed: {lastError}
        </Text>
      )}
      {lastError === null && lastRemoved !== null && lastRemoved > 0 && (
        <Text size="xs">{formatCount(lastRemoved)} removed</Text>
      )}
    </Group>
  )
}

interface KeepProps {
  readonly dataClass: DataClass
  readonly scope: Scope
}

const SET_BY = { organisation: 'set here', platform: 'set for all', default: '' } as const

/** How long a class is kept; where that can be set, a button for it. */
function KeepButton({ dataClass, scope }: KeepProps) {
  const words = keepWords(dataClass.keep)
  const note = SET_BY[dataClass.keepSetBy]
  return (
    <Group gap={6} wrap="nowrap">
      {dataClass.settable ? (
        <DialogButton
          to="administer"
          variant="transparent"
          size="compact-sm"
          px={0}
          fw={400}
          c="var(--accent)"
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
  const { class: name, keep, least, leaves } = dataClass
  const parts = partsOf(keep)
  const { draft, value, choice, check } = useDraft({
    isForever: parts === undefined,
    count: (parts?.count ?? 90) as number | string,
    unit: parts?.unit ?? 'd',
  })
  const { isForever, count, unit } = draft
  const set = useAction({
    run: (wanted: string | null = isForever ? 'forever' : `${count}${unit}`) =>
      put('/api/v1/retention', { body: { class: name, keep: wanted, scope } }),
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
      <Checkbox label="Keep forever" {...check('isForever')} />
      {least !== null && (
        <Text size="xs" c="dimmed">
          At least {keepWords(least)}.
        </Text>
      )}
    </ActionForm>
  )
}

type DataClass = ItemOf<'/api/v1/retention'>

type Scope = 'organisation' | 'platform'

/** Units in which a time is set, by the letter that the API has for them. */
const UNITS = { d: 'days', h: 'hours', m: 'minutes' } as const
type Unit = keyof typeof UNITS

/** A time in parts; undefined for forever. */
function partsOf(keep: string): { count: number; unit: Unit } | undefined {
  const [, count, unit] = /^(\d+)([dhm])$/.exec(keep) ?? []
  return count === undefined ? undefined : { count: Number(count), unit: unit as Unit }
}

/** `90 days`, `1 hour`, `forever`. */
export function keepWords(keep: string): string {
  const { count, unit } = partsOf(keep) ?? {}
  if (count === undefined || unit === undefined) return 'forever'
  return count === 0 ? 'not kept' : countOf(count, UNITS[unit].slice(0, -1))
}
