import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { ButtonLink } from './links.tsx'
import { PageFrame, type PageFrameProps } from './page-frame.tsx'

/** Pages that belong together. */
export interface Section {
  readonly title: string
  readonly views: readonly { readonly to: string; readonly title: string }[]
}

interface SectionFrameProps extends Omit<PageFrameProps, 'title'> {
  readonly section: Section
}

/** What each page of a section begins with: its lead, and the way to the other pages. */
export function SectionFrame({ section, children, ...frame }: SectionFrameProps) {
  const { title, views } = section
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
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
