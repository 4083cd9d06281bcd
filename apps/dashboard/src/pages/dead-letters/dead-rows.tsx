import { Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCount } from '../../format/number.ts'
import type { OutboxOverview } from '../../outboxes/use-outboxes.ts'
import { Empty } from '../../parts/empty.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useSelection } from '../../parts/table/selection.ts'
import { columnsOf } from '../messages/columns.tsx'
import { addressOf } from '../messages/message.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ReplayButton } from './replay-button.tsx'
import type { DeadFilter } from './use-dead-groups.ts'

interface DeadRowsProps {
  readonly outbox: OutboxOverview
  readonly filter: DeadFilter
  /** How many match the filter. */
  readonly matching: number
}

/** The most that the API takes by their ids. */
const MOST_IDS = 1_000

/** The dead of one outbox, to be selected and replayed. */
export function DeadRows({ outbox, filter, matching }: DeadRowsProps) {
  const { name, roles } = outbox
  if (roles.dead === null) {
    return (
      <Panel title="Rows">
        This outbox never gives up. The messages counted here are quarantined: see its{' '}
        <AnchorLink to="/messages" search={{ outbox: name }}>
          messages
        </AnchorLink>
        .
      </Panel>
    )
  }
  return <Selectable name={name} dead={roles.dead} {...{ outbox, filter, matching }} />
}

function Selectable(props: DeadRowsProps & { readonly name: string; readonly dead: string }) {
  const { name, dead, outbox, filter, matching } = props
  const navigate = useNavigate()
  const selection = useSelection()
  const list = useMessages({ ...filter, outbox: name, status: dead }, [])
  const columns = useMemo(
    () => columnsOf([outbox]).filter(({ id }) => !['state', 'outbox', 'due'].includes(id)),
    [outbox],
  )
  const chosen = list.rows.filter(({ id }) => selection.has(id)).slice(0, MOST_IDS)
  return (
    <Panel
      title="Rows"
      actions={
        <Group gap="xs">
          <ReplayButton
            label={`Replay ${chosen.length === 0 ? '' : `${formatCount(chosen.length)} `}selected`}
            outbox={name}
            filter={{ ids: chosen.map(({ id }) => id) }}
            isDisabled={chosen.length === 0}
            onDone={selection.clear}
          />
          <ReplayButton
            label={`Replay all ${formatCount(matching)} matching`}
            outbox={name}
            filter={filter}
          />
        </Group>
      }
    >
      <DataTable
        label="Dead letters"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={(row) =>
          void navigate({
            to: '/messages',
            search: { outbox: name, open: addressOf(row) },
          } as never)
        }
        height="420px"
        empty={<Empty title="No dead letters left">They have been replayed or cancelled.</Empty>}
      />
    </Panel>
  )
}
