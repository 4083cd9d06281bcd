import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useFresh } from '../../live/use-fresh.ts'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Consents } from './consents.tsx'
import { DossierTimeline } from './dossier-timeline.tsx'
import { SendForm } from './send-form.tsx'

/** A dossier: what it allows, and what happened to what was sent for it. */
export function Dossier() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const [isSending, sending] = useDisclosure(false)
  const navigate = useNavigate()
  useFresh(
    ['outbound', 'dossier', id],
    (event) => event.kind === 'transition' && event.outbox === 'messages.outbound',
  )
  return (
    <PageFrame
      title={`Dossier ${id}`}
      lead="A message for a dossier is sent only while it grants consent for the channel."
      actions={
        <>
          <ButtonLink variant="default" to="/outbound">
            All messages
          </ButtonLink>
          <Button onClick={sending.open}>Send a message</Button>
        </>
      }
    >
      <Panel title="Consent">
        <Consents id={id} />
      </Panel>
      <Panel title="Timeline">
        <DossierTimeline id={id} />
      </Panel>
      <SendForm
        isOpen={isSending}
        onClose={sending.close}
        dossierId={id}
        onSent={(message) =>
          void navigate({ to: '/outbound', search: { open: message.id } } as never)
        }
      />
    </PageFrame>
  )
}
