import {
  Alert,
  Button,
  Checkbox,
  Collapse,
  Group,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { sentenceOf, useSettings } from '@posthorn/dashboard/kit'
import { type SubmitEvent, useState } from 'react'
import { DEFAULTS, type EndpointFields } from './endpoint-fields.ts'
import { EndpointSettings } from './endpoint-settings.tsx'
import { subscriptionsTo, useEventTypes } from './webhook.ts'

interface EndpointFormProps {
  /** Left out for a new endpoint. */
  readonly before?: EndpointFields
  readonly verb: string
  readonly error: Error | null
  readonly isPending: boolean
  readonly onClose: () => void
  readonly onSubmit: (fields: EndpointFields) => void
}

/** What an endpoint receives, where and how. */
export function EndpointForm(props: EndpointFormProps) {
  const { before, verb, error, isPending, onClose, onSubmit } = props
  const { production } = useSettings()
  const [fields, setFields] = useState(before ?? DEFAULTS)
  const [isMore, { toggle }] = useDisclosure(false)
  const types = useEventTypes().data
  const set = (change: Partial<EndpointFields>) => setFields((known) => ({ ...known, ...change }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSubmit({ ...fields, url: fields.url.trim() })
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
          value={fields.url}
          onChange={({ currentTarget }) => set({ url: currentTarget.value })}
          required
          maxLength={2_048}
          data-autofocus
        />
        <TagsInput
          size="xs"
          label="Events"
          description="An event type, payment.* for a group, or * for all. Enter adds one."
          data={subscriptionsTo((types ?? []).map(({ type }) => type))}
          value={fields.eventTypes}
          onChange={(eventTypes) => set({ eventTypes })}
          required={fields.eventTypes.length === 0}
        />
        <Checkbox
          label="Ordered: events of one payment are sent one after the other"
          checked={fields.ordered}
          onChange={({ currentTarget }) => set({ ordered: currentTarget.checked })}
        />
        <Group>
          <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isMore}>
            {isMore ? 'Fewer settings' : 'More settings'}
          </Button>
        </Group>
        <Collapse expanded={isMore}>
          <EndpointSettings fields={fields} isNew={before === undefined} set={set} />
        </Collapse>
        {error !== null && (
          <Alert color="red" role="alert">
            {sentenceOf(error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={fields.eventTypes.length === 0}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
