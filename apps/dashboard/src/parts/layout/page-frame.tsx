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
import { createLink, useLocation } from '@tanstack/react-router'
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react'
import { isThere } from '../../pages/page.ts'
import { useUser } from '../../settings/settings.tsx'
import { usePages } from '../../systems.tsx'

interface PageFrameProps {
  readonly title: string
  /** One sentence: what is here. */
  readonly lead?: ReactNode
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** What every page begins with; its title is the tab's too. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  useDocumentTitle(`${title} · Posthorn`)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1}>{title}</Title>
          {lead !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

/** The frame of a page with a section: its title and lead, and links to the other pages of it. */
export function SectionFrame({ children, ...frame }: Omit<PageFrameProps, 'title'>) {
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
  const user = useUser()
  const pages = usePages().filter((page) => isThere(page, user))
  const pageAt = (path: string) => pages.find(({ name }) => name === path.split('/')[1])
  const page = pageAt(here)
  const title = page?.section?.title ?? page?.title ?? ''
  const views = page?.section?.views.filter(({ to }) => pageAt(to) !== undefined) ?? []
  return (
    <PageFrame title={title} {...frame}>
      {views.length > 1 && (
        <Group gap={6} component="nav" aria-label={title}>
          {views.map((view) => (
            <ButtonLink
              key={view.to}
              to={view.to}
              variant={view.to === here ? 'filled' : 'default'}
              {...(view.to === here && { 'aria-current': 'page' })}
            >
              {view.title}
            </ButtonLink>
          ))}
        </Group>
      )}
      {children}
    </PageFrame>
  )
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
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
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
