import { IconMapOff } from '@tabler/icons-react'
import { ButtonLink } from '../parts/links.tsx'
import { Notice } from '../parts/notice.tsx'

export function PageMissing() {
  return (
    <Notice
      icon={IconMapOff}
      title="Page not found"
      action={
        <ButtonLink to="/" variant="default" mt="xs">
          Go to the start page
        </ButtonLink>
      }
    />
  )
}
