import { IconInbox } from '@tabler/icons-react'
import { Notice, type NoticeProps } from './notice.tsx'

/** There is nothing yet: says what will be here and how it comes. */
export function Empty({ icon = IconInbox, ...rest }: Partial<NoticeProps> & { title: string }) {
  return <Notice icon={icon} {...rest} />
}
