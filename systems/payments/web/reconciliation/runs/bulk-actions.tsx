import { Group, Text } from '@mantine/core'
import {
  type Api,
  ConfirmButton,
  dataOf,
  formatCount,
  outcomeOf,
  type paths,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import type { Exception } from './run.ts'

type Route = paths['/api/v1/reconciliations/{id}/decisions']['post']
type Asked = Route['requestBody']['content']['application/json']['decisions'][number]

/** More are refused by the server. */
const MOST = 500

interface BulkActionsProps {
  readonly id: string
  readonly chosen: readonly Exception[]
  readonly onDone: () => void
}

/** What is done with all selected lines at once. */
export function BulkActions({ id, chosen, onDone }: BulkActionsProps) {
  const api = useApi()
  const decide = useAction({
    run: async ({ reason, find }: { reason: string; find: () => Promise<Asked[]> }) => {
      const decisions = (await find()).slice(0, MOST)
      if (decisions.length === 0) throw new Error('No selected line has a suggestion of its own.')
      const params = { path: { id } }
      const body = { reason, decisions }
      return dataOf(api.POST('/api/v1/reconciliations/{id}/decisions', { params, body }))
    },
    done: ({ applied, refused }) => {
      onDone()
      return outcomeOf({
        what: `${formatCount(applied.length)} done${refused.length > 0 ? `, ${formatCount(refused.length)} not:` : '.'}`,
        refused: refused.map(({ recordId, detail }) => ({
          name: recordId === undefined ? 'a suggestion' : `line ${recordId}`,
          reason: detail,
        })),
      })
    },
    isGood: ({ refused }) => refused.length === 0,
    changes: ['reconciliation'],
  })
  const lines = `${formatCount(chosen.length)} ${chosen.length === 1 ? 'line' : 'lines'}`
  const suggested = chosen.filter(({ suggestions }) => suggestions > 0)
  if (chosen.length === 0) return null
  return (
    <Group gap="xs">
      <Text size="sm">{lines} selected</Text>
      <ConfirmButton
        label={`Ignore ${lines}`}
        title={`Ignore ${lines}?`}
        verb={`Ignore ${formatCount(chosen.length)}`}
        reason="required"
        onConfirm={(reason = '') =>
          decide.mutateAsync({ reason, find: async () => chosen.map(ignoring) })
        }
      >
        They are no longer exceptions, and runs skip them. They can be reopened.
      </ConfirmButton>
      {suggested.length > 0 && (
        <ConfirmButton
          label={`Accept ${formatCount(suggested.length)} suggested`}
          title={`Match ${formatCount(suggested.length)} lines as suggested?`}
          verb={`Accept ${formatCount(suggested.length)}`}
          reason="required"
          onConfirm={(reason = '') =>
            decide.mutateAsync({ reason, find: () => findSuggested(api, id, suggested) })
          }
        >
          Only suggestions without other candidates are accepted. Every match can be undone.
        </ConfirmButton>
      )}
    </Group>
  )
}

function ignoring({ record }: Exception): Asked {
  return { do: 'ignore', recordId: record.id, version: record.version }
}

/** The suggestions of these lines that nothing else competes with. */
async function findSuggested(api: Api, id: string, of: readonly Exception[]): Promise<Asked[]> {
  const wanted = new Set(of.map(({ record }) => record.id))
  const found: Asked[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: 200, ...(cursor && { cursor }) }
    const page = await dataOf(
      api.GET('/api/v1/reconciliations/{id}/suggestions', { params: { path: { id }, query } }),
    )
    for (const { id: suggestionId, recordId, ambiguous } of page.items) {
      if (!ambiguous && wanted.has(recordId)) found.push({ do: 'accept', suggestionId })
    }
    cursor = page.nextCursor
  } while (cursor !== null && found.length < MOST)
  return found
}
