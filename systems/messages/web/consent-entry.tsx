import type { ItemOf, TimelineEntry } from '@posthorn/dashboard/kit'

type ConsentEvent = ItemOf<'/api/v1/conversations/{id}/consents'>

/** How consent was given, for the reader of a timeline. */
const SOURCES: Readonly<Record<string, string>> = {
  api: 'noted here',
  form: 'by a form',
  paper: 'on paper',
  spoken: 'spoken',
  message: 'by a message',
  import: 'from elsewhere',
  keyword: 'the person wrote it',
  provider: 'the provider says so',
}

/** A grant or a withdrawal as a sentence, with what it rests on. */
export function consentEntryOf(event: ConsentEvent): TimelineEntry {
  const { id, saidAt, granted, channel, source, proof, recipient, actor } = event
  const details = [
    ...(proof === null ? [] : [`Proof: ${proof}`]),
    ...(recipient === null ? [] : [`Number: ${recipient}`]),
    `By ${actor}`,
  ]
  return {
    id,
    at: saidAt,
    role: granted ? 'confirmed' : 'cancelled',
    what: `${granted ? 'Granted' : 'Withdrawn'} for ${channel}, ${SOURCES[source] ?? source}.`,
    details: details.join(' · '),
  }
}
