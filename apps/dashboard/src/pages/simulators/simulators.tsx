import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Clock } from './clock.tsx'
import { FaultState } from './fault-state.tsx'

/** Who plays the outside world here, and the clock that can be moved. */
export function Simulators() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['sim', 'list'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/sim', { signal })),
    refetchInterval: 10_000,
  })
  return (
    <PageFrame
      title="Simulators and clock"
      lead="Simulators stand in for outside services in development. Inject faults and see what happens."
    >
      <QueryState query={query}>
        {({ clock, simulators }) => (
          <>
            <Clock now={clock.now} aheadSeconds={clock.aheadSeconds} isMovable={clock.movable} />
            <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md">
              {simulators.map(({ name, about }) => (
                <Panel
                  key={name}
                  title={name}
                  actions={
                    <AnchorLink
                      to="/simulators/$name"
                      params={{ name }}
                      aria-label={`Open ${name}`}
                    >
                      Open
                    </AnchorLink>
                  }
                >
                  <Text size="sm" c="dimmed" mb="xs">
                    {about}
                  </Text>
                  <FaultState name={name} />
                </Panel>
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}
