import { SimpleGrid, Stack, Text } from '@mantine/core'
import { mayRead } from '../page.ts'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { usePages } from '../../systems.tsx'
import { useUser } from '../../settings/settings.tsx'

/** The first page of everyone who does not run the platform: where what is done. */
export function Home() {
  const user = useUser()
  const mine = usePages().filter(
    (page) => page.name !== 'home' && page.group !== 'Development' && mayRead(page, user),
  )
  return (
    <PageFrame title="Home" lead="What you can do here.">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {mine.map(({ name, title, about }) => (
          <Panel key={name} title={title}>
            <Stack gap={6}>
              <Text size="sm">{about}</Text>
              <AnchorLink size="sm" to={`/${name}`}>
                Open {title.toLowerCase()}
              </AnchorLink>
            </Stack>
          </Panel>
        ))}
      </SimpleGrid>
    </PageFrame>
  )
}
