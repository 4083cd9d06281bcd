import { Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type Answer, useRead } from '../../api/client.tsx'
import { useUser } from '../../settings/settings.tsx'
import { AnchorLink, Panel } from './page-frame.tsx'

interface RelatedProps {
  /** Of the thing itself. */
  readonly id: string
  /** Of these kinds nothing is shown: they are the page itself. */
  readonly except: readonly string[]
}

/** More than these are shown by the journey only. */
const MOST = 8

/** The same business thing on other pages, of whichever system. */
export function Related(props: RelatedProps) {
  const { has } = useUser()
  // In the portal there is no page of journeys, and its token may not ask for one.
  const isRoute = '/journey' in useRouter().routesByPath
  return isRoute && has.includes('journeys') ? <Elsewhere {...props} /> : null
}

function Elsewhere({ id, except }: RelatedProps) {
  const { data } = useJourney(id)
  const others = (data?.things ?? []).filter((thing) => thing.id !== id)
  const shown = others.filter(({ kind }) => !except.includes(kind)).slice(0, MOST)
  if (shown.length === 0) return null
  return (
    <Panel
      title="Elsewhere"
      actions={
        <AnchorLink to="/journey" search={{ id }} size="sm">
          Whole journey
        </AnchorLink>
      }
    >
      <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
        {shown.map(({ kind, id: thing, title, detail, to }) => (
          <li key={`${kind} ${thing}`}>
            <AnchorLink to={to} size="sm">
              {title} ({detail})
            </AnchorLink>
          </li>
        ))}
      </Stack>
    </Panel>
  )
}

export type JourneyOfThing = Answer<'/api/v1/journey'>

/** All that belongs to the business thing that has this id, and what happened to it. */
export function useJourney(id: string) {
  return useRead('/api/v1/journey', ['journey', id], { params: { query: { id } } })
}
