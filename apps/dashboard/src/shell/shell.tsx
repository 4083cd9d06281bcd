import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { mayRead, type Page } from '../pages/page.ts'
import { NowProvider } from '../parts/now.tsx'
import { Brand } from './brand.tsx'
import { ClockState } from './clock-state.tsx'
import { LiveState } from './live-state.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { useClock } from './use-clock.ts'
import { useUser } from './use-user.ts'
import { UserMenu } from './user-menu.tsx'

/** The frame around every page: where one can go, who one is, whether what is shown is live. */
export function Shell({ pages }: { pages: readonly Page[] }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const user = useUser()
  const { aheadMs } = useClock()
  const readable = pages.filter((page) => mayRead(page, user))
  return (
    <NowProvider aheadMs={aheadMs}>
      <AppShell
        header={{ height: { base: 48, md: 0 } }}
        navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
        padding="md"
      >
        <a className={classes['skip']} href="#content">
          Skip to the content
        </a>
        <AppShell.Header hiddenFrom="md" className={classes['side']}>
          <Group h="100%" px="md" justify="space-between">
            <Brand />
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes['side']} aria-label="Pages">
          <AppShell.Section visibleFrom="md" p="md" pb="xs">
            <Brand />
          </AppShell.Section>
          <AppShell.Section grow className={classes['pages']}>
            <Navigation pages={readable} onGo={close} />
          </AppShell.Section>
          <AppShell.Section className={classes['foot']}>
            <LiveState />
            <ClockState aheadMs={aheadMs} />
            <UserMenu />
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1} className={classes['content']}>
          <Outlet />
        </AppShell.Main>
        <Shortcuts pages={readable} />
      </AppShell>
    </NowProvider>
  )
}
