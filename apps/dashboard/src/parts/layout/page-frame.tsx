import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Group,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { createLink, Link, useLocation } from '@tanstack/react-router'
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react'
import { mayRead, type SectionView, viewsOf } from '../../pages/page.ts'
import { useUser } from '../../settings/settings.tsx'
import { useContents } from '../../systems.tsx'
import classes from './page-frame.module.css'

interface PageFrameProps {
  /** Default: what the section of the page, or the page, is called. */
  readonly title?: string
  /** One sentence: what is here. */
  readonly lead?: ReactNode
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** What every page begins with: its title, which is the tab's too, and the other views of its section. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  const { section, here } = useSection()
  const own = title ?? section.find(({ to }) => to === here)?.title ?? ''
  useDocumentTitle(`${own} · Posthorn`)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1}>{own}</Title>
          {lead !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {section.length > 1 && section.some(({ to }) => to === here) && (
        <nav className={classes['tabs']} aria-label="Views of this section">
          {section.map((view) => (
            <Link
              key={view.to}
              to={view.to}
              {...(view.to === here && { 'aria-current': 'page' as const })}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {view.title}
            </Link>
          ))}
        </nav>
      )}
      {children}
    </Stack>
  )
}

/** The views of the section that is shown, as far as the user may read them. */
function useSection(): { section: readonly SectionView[]; here: string } {
  const here = useLocation().pathname.replace(/\/$/, '')
  const user = useUser()
  const { pages } = useContents()
  const page = pages.find(({ name }) => name === here.split('/')[1])
  const readable = pages.filter((each) => mayRead(each, user))
  return { section: page === undefined ? [] : viewsOf(page, readable), here }
}

interface PanelProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** One thing of a page, with its name. */
export function Panel({ title, actions, children }: PanelProps) {
  const id = useId()
  return (
    <Paper component="section" data-panel withBorder radius="md" p="md" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" mih={26} gap="xs">
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}

type Native = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps | keyof ButtonProps>

/** A part of a drawer, with its name. */
export function Part({ title, children }: Omit<PanelProps, 'actions'>) {
  return (
    <section>
      <Title order={3} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  )
}

/** `<AnchorLink to="/outboxes/$name" params={{ name }}>`: a link in a sentence or a table. */
export const AnchorLink = createLink((props: AnchorProps & Native) => <Anchor {...props} />)

/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Native) => (
  <Button component="a" {...props} />
))
