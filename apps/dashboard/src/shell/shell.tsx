import { AppShell, Burger, Button, Group, Kbd } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  type Icon,
  IconBroadcast,
  IconBroadcastOff,
  IconClockPlay,
  IconLoader2,
  IconPlayerPause,
  IconPlugConnectedX,
  IconRefresh,
  IconSearch,
} from '@tabler/icons-react'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { formatDuration } from '../format/number.ts'
import type { LiveState as State } from '../live/connection.ts'
import { useLiveState, useOutage, usePolling } from '../live/live-context.tsx'
import { entriesOf, GROUPS, mayRead, type Page, viewsOf } from '../pages/page.ts'
import { NowProvider } from '../parts/show/facts.tsx'
import { Lazy } from '../systems.tsx'
import { Brand } from './brand.tsx'
import navigationClasses from './navigation.module.css'
import { openPalette, Palette } from './palette.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { useClock, useUser } from '../settings/settings.tsx'
import { UserMenu } from './user-menu.tsx'

/** The frame around every page: where one can go, who one is, whether what is shown is live. */
export function Shell({ pages }: { pages: readonly Page[] }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const user = useUser()
  const { aheadMs } = useClock()
  const outage = useOutage()
  const readable = pages.filter((page) => mayRead(page, user))
  return (
    <NowProvider aheadMs={aheadMs}>
      <AppShell
        header={{ height: { base: 48, md: 0 } }}
        navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'md', lg: 'lg' }}
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
          <AppShell.Section px="sm" pb="xs">
            <Button
              fullWidth
              variant="default"
              justify="space-between"
              leftSection={<IconSearch size={14} aria-hidden />}
              rightSection={<Kbd size="xs">Ctrl K</Kbd>}
              aria-keyshortcuts="Control+K"
              onClick={openPalette}
            >
              Search
            </Button>
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
          {outage !== undefined && <OutageBanner since={outage} />}
          <div className={classes['page']} data-old={outage !== undefined || undefined}>
            <Outlet />
          </div>
        </AppShell.Main>
        <Shortcuts pages={readable} />
        <Palette pages={readable} />
      </AppShell>
    </NowProvider>
  )
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** What is shown is old, and since when. */
function OutageBanner({ since }: { since: number }) {
  return (
    <div className={classes['outage']} role="alert">
      <IconPlugConnectedX size={18} stroke={1.8} aria-hidden />
      <span>
        The server cannot be reached. This page is as of {CLOCK.format(since)}; it reconnects by
        itself.
      </span>
    </div>
  )
}

/** Whether the business clock was moved: what is due is then due by that clock. */
function ClockState({ aheadMs }: { aheadMs: number }) {
  if (aheadMs === 0) return null
  return (
    <div className={classes['state']}>
      <IconClockPlay size={16} stroke={1.6} color="var(--brand)" aria-hidden />
      Clock moved by {formatDuration(aheadMs)}
    </div>
  )
}

const LOOKS: Readonly<Record<State, { icon: Icon; word: string }>> = {
  live: { icon: IconBroadcast, word: 'Live' },
  connecting: { icon: IconLoader2, word: 'Connecting …' },
  waiting: { icon: IconPlugConnectedX, word: 'Connection lost, trying again' },
  paused: { icon: IconPlayerPause, word: 'Paused' },
  refused: { icon: IconBroadcastOff, word: 'Not live: refused' },
}

/** Whether what is shown follows what happens. */
function LiveState() {
  const state = useLiveState()
  const everyMs = usePolling()
  const isPolled = state === 'live' && everyMs !== undefined
  const { icon: Picture, word } = isPolled
    ? { icon: IconRefresh, word: `Updated every ${formatDuration(everyMs)}` }
    : LOOKS[state]
  return (
    <div className={classes['state']} data-live={isPolled ? 'polled' : state} role="status">
      <Picture size={16} stroke={1.6} aria-hidden />
      {word}
    </div>
  )
}

interface NavigationProps {
  readonly pages: readonly Page[]
  /** The user chose a page. */
  readonly onGo: () => void
}

function Navigation({ pages, onGo }: NavigationProps) {
  const current = useLocation().pathname.split('/')[1] ?? ''
  const entries = entriesOf(pages)
  return GROUPS.map((group) => {
    const own = entries.filter((page) => page.group === group)
    if (own.length === 0) return null
    return (
      <section key={group} aria-labelledby={`group-${group}`}>
        <h2 id={`group-${group}`} className={navigationClasses['group']}>
          {group}
        </h2>
        <ul className={navigationClasses['list']}>
          {own.map((page) => (
            <li key={page.name}>
              <Entry {...{ page, pages, current, onGo }} />
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

/** A page, or the first of its section, which stays marked on the others. */
function Entry(props: NavigationProps & { page: Page; current: string }) {
  const { page, pages, current, onGo } = props
  const { name, title, section, icon: Picture } = page
  const views = viewsOf(page, pages)
  const names = new Set([name, ...views.map(({ to }) => to.split('/')[1])])
  const isCurrent = names.has(current)
  const link = useRef<HTMLAnchorElement>(null)
  // A small window has not room for all: where one is must be among those in sight.
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  const badge = pages.find((each) => names.has(each.name) && each.badge)?.badge
  return (
    <Link
      to={`/${name}`}
      className={navigationClasses['link']}
      data-current={isCurrent || undefined}
      ref={link}
      onClick={onGo}
    >
      <Picture size={16} stroke={1.5} aria-hidden />
      {views.length > 1 ? section?.title : title}
      {badge && <Lazy view={badge} />}
    </Link>
  )
}
