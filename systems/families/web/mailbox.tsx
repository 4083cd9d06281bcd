import { Anchor } from '@mantine/core'
import { ButtonLink, Empty, PageFrame, useUser } from '@posthorn/dashboard/kit'
import { Mails } from './mails.tsx'

/** What the development's mailbox took instead of sending it into the world. */
export function Mailbox() {
  const { production } = useUser()
  if (production) {
    return (
      <Empty title="No mailbox in production">In production mails go to their recipients.</Empty>
    )
  }
  return (
    <PageFrame
      title="Mailbox"
      lead={
        <>
          In development every mail is delivered here.{' '}
          <Anchor href="/sim/mail">Rendered mails</Anchor>
        </>
      }
      actions={
        <ButtonLink variant="default" to="/families">
          All families
        </ButtonLink>
      }
    >
      <Mails />
    </PageFrame>
  )
}
