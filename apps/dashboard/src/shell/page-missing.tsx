import { IconMapOff } from '@tabler/icons-react'
import { ButtonLink } from '../parts/links.tsx'
import { Notice } from '../parts/notice.tsx'

export function PageMissing() {
  return (
    <Notice
      icon={IconMapOff}
      title="There is nothing at this address"
      action={
        <ButtonLink to="/" variant="default" mt="xs">
          To the first page
        </ButtonLink>
      }
    />
  )
}
