import { Button, Group, Select, TextInput } from '@mantine/core'
import { callSimulator, Form, useAction, useDraft } from '@posthorn/dashboard/kit'

const KINDS = [
  { value: 'text', label: 'text' },
  { value: 'button', label: 'button of a template' },
  { value: 'list', label: 'choice from a list' },
  { value: 'image', label: 'picture with these words' },
  { value: 'unsupported', label: 'unsupported kind' },
] as const

/** Lets a person write on the simulated WhatsApp: an answer, or STOP. */
export function PersonForm() {
  const { draft, set, text, choice } = useDraft({
    from: '',
    text: '',
    kind: 'text' as (typeof KINDS)[number]['value'],
  })
  const write = useAction({
    run: (message: typeof draft) =>
      callSimulator('/sim/whatsapp/inbound', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }),
    done: (_, { from: person }) => `${person} wrote.`,
    changes: ['sim', 'conversations'],
  })
  const submit = () =>
    write.mutate({ ...draft, from: draft.from.trim() }, { onSuccess: () => set({ text: '' }) })
  return (
    <Form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Number"
          placeholder="+16505551234"
          pattern="\+?[0-9]{7,15}"
          title="A number with its country, such as +16505551234"
          {...text('from')}
          required
          w={160}
        />
        <Select label="Kind" data={KINDS} {...choice('kind')} w={190} />
        <TextInput
          label="Words"
          placeholder="Yes, please"
          {...text('text')}
          maxLength={4_096}
          required
          flex="1 1 220px"
        />
        <Button type="submit" loading={write.isPending}>
          Write
        </Button>
      </Group>
    </Form>
  )
}
