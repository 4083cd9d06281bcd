import { Alert, Button, Checkbox, Group, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { sentenceOf } from '../../parts/use-action.ts'
import { useSettings } from '../../settings/settings.tsx'

export interface EndpointFields {
  readonly url: string
  readonly eventTypes: string[]
  readonly ordered: boolean
}

interface EndpointFormProps {
  readonly before?: EndpointFields
  readonly verb: string
  readonly error: Error | null
  readonly isPending: boolean
  readonly onClose: () => void
  readonly onSubmit: (fields: EndpointFields) => void
}

const KNOWN_TYPES = ['*', 'payment.*', 'payment.succeeded', 'payment.failed', 'payment.refunded']

/** What an endpoint receives, and where. */
export function EndpointForm(props: EndpointFormProps) {
  const { before, verb, error, isPending, onClose, onSubmit } = props
  const { production } = useSettings()
  const [url, setUrl] = useState(before?.url ?? '')
  const [eventTypes, setEventTypes] = useState(before?.eventTypes ?? ['*'])
  const [ordered, setOrdered] = useState(before?.ordered ?? false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSubmit({ url: url.trim(), eventTypes, ordered })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          type="url"
          label="Address"
          description={
            production
              ? 'Receives events by POST over https.'
              : `Receives events by POST. The simulated merchant is at ${location.origin}/sim/merchant/hooks.`
          }
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          required
          maxLength={2_048}
          data-autofocus
        />
        <TagsInput
          size="xs"
          label="Events"
          description="An event type, payment.* for a group, or * for all. Enter adds one."
          data={KNOWN_TYPES}
          value={eventTypes}
          onChange={setEventTypes}
          required={eventTypes.length === 0}
        />
        <Checkbox
          label="Ordered: events of one payment are sent one after the other"
          checked={ordered}
          onChange={({ currentTarget }) => setOrdered(currentTarget.checked)}
        />
        {error !== null && (
          <Alert color="red" role="alert">
            {sentenceOf(error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={eventTypes.length === 0}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
