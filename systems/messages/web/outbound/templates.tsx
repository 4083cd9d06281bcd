import {
  Alert,
  Button,
  Group,
  JsonInput,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  type Column,
  ConfirmButton,
  dataOf,
  DataTable,
  DetailDrawer,
  Empty,
  Json,
  KeyValue,
  type paths,
  Permitted,
  SectionFrame,
  sentenceOf,
  StateBadge,
  Time,
  useAction,
  useApi,
  useList,
  useOpened,
} from '@posthorn/dashboard/kit'
import { type SubmitEvent, useState } from 'react'
import { accountTitle, isOwn, type Template, useAccounts, wantedPhrase } from './use-accounts.ts'

const CHANGED = ['outbound']

/** What messages of the organisation's templates must have. */
export function Templates() {
  const api = useApi()
  const opened = useOpened()
  const [isAdding, adding] = useDisclosure(false)
  const list = useList<Template>({
    queryKey: ['outbound', 'templates', 'list'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/outbound/templates', {
          params: { query: { limit: 100, ...(cursor !== undefined && { cursor }) } },
          signal,
        }),
      ),
  })
  const shown = list.rows.find((template) => idOf(template) === opened.id)
  return (
    <SectionFrame
      lead="Messages of a registered template are checked before they are queued. Others are checked by WhatsApp when they are sent."
      actions={
        <Permitted to="administer">
          <Group gap="xs">
            <ImportButton />
            <Button onClick={adding.open}>Register a template</Button>
          </Group>
        </Permitted>
      }
    >
      <DataTable
        label="Templates"
        list={list}
        columns={COLUMNS}
        idOf={idOf}
        onOpen={(template) => opened.open(idOf(template))}
        opened={opened.id}
        empty={
          <Empty title="No templates yet">
            Import those of your WhatsApp account, or register one.
          </Empty>
        }
      />
      <DetailDrawer isOpen={shown !== undefined} onClose={opened.close} title="Template">
        {shown && <TemplateDetails template={shown} onGone={opened.close} />}
      </DetailDrawer>
      <Modal opened={isAdding} onClose={adding.close} title="Register a template" size="lg">
        <TemplateForm onClose={adding.close} />
      </Modal>
    </SectionFrame>
  )
}

function idOf({ name, language }: Template): string {
  return `${name}/${language}`
}

const COLUMNS: readonly Column<Template>[] = [
  { id: 'name', title: 'Name', width: 'minmax(140px, 1.4fr)', cell: ({ name }) => name },
  { id: 'language', title: 'Language', width: '90px', cell: ({ language }) => language },
  {
    id: 'category',
    title: 'Category',
    width: '140px',
    narrow: 'hidden',
    cell: ({ category }) => category,
  },
  {
    id: 'status',
    title: 'State',
    width: '118px',
    cell: ({ status }) => (
      <StateBadge state={status} role={status === 'APPROVED' ? 'confirmed' : 'dead'} />
    ),
  },
  { id: 'wants', title: 'Takes', narrow: 'hidden', cell: wantedPhrase },
]

function ImportButton() {
  const api = useApi()
  const accounts = useAccounts()
  const [chosen, choose] = useState<string | null>(null)
  const offered = (accounts.data?.items ?? []).filter(({ channel }) => channel === 'whatsapp')
  // What an organisation sends with first is what it most likely means.
  const account = offered.find(({ id }) => id === chosen) ?? offered.find(isOwn) ?? offered[0]
  const run = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/outbound/templates/import', {
          body: account && isOwn(account) ? { accountId: account.id } : {},
        }),
      ),
    done: ({ imported, skipped }) =>
      `${imported} templates imported${skipped.length === 0 ? '.' : `, ${skipped.length} not supported.`}`,
    changes: CHANGED,
  })
  return (
    <ConfirmButton
      to="administer"
      label="Import"
      title="Import the templates of WhatsApp?"
      verb="Import"
      onConfirm={() => run.mutateAsync(undefined)}
    >
      <Stack gap="sm">
        <Select
          label="Account"
          data={offered.map((each) => ({ value: each.id, label: accountTitle(each) }))}
          value={account?.id ?? null}
          onChange={choose}
          allowDeselect={false}
        />
        <span>
          All templates of the account are registered as WhatsApp lists them. Those with the same
          name and language are replaced.
        </span>
      </Stack>
    </ConfirmButton>
  )
}

function TemplateDetails({ template, onGone }: { template: Template; onGone: () => void }) {
  const api = useApi()
  const [isChanging, changing] = useDisclosure(false)
  const { name, language } = template
  const remove = useAction({
    run: () =>
      dataOf(
        api.DELETE('/api/v1/outbound/templates/{name}/{language}', {
          params: { path: { name, language } },
        }),
      ),
    done: () => `Template ${name} is no longer registered.`,
    changes: CHANGED,
  })
  return (
    <Stack gap="md">
      <KeyValue
        facts={{
          Name: name,
          Language: language,
          Category: template.category,
          State: template.status,
          Takes: wantedPhrase(template),
          Changed: <Time at={template.updatedAt} />,
        }}
      />
      <Permitted to="administer">
        <Group gap="xs">
          <Button variant="default" onClick={changing.open}>
            Change
          </Button>
          <ConfirmButton
            to="administer"
            label="Remove"
            title={`Remove ${name} (${language})?`}
            verb="Remove template"
            tone="danger"
            onConfirm={async () => {
              await remove.mutateAsync(undefined)
              onGone()
            }}
          >
            Messages of it are no longer checked here. It stays at WhatsApp.
          </ConfirmButton>
        </Group>
      </Permitted>
      <Json value={template.components} label="components" />
      <Modal opened={isChanging} onClose={changing.close} title={`Change ${name}`} size="lg">
        <TemplateForm before={template} onClose={changing.close} />
      </Modal>
    </Stack>
  )
}

type TemplateBody =
  paths['/api/v1/outbound/templates/{name}/{language}']['put']['requestBody']['content']['application/json']

const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const

/** A beginning for each category, to be changed. */
const EXAMPLES: Readonly<Record<(typeof CATEGORIES)[number], unknown>> = {
  UTILITY: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
  MARKETING: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}, see what is new.' },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: 'Look', url: 'https://shop.example/{{1}}' }],
    },
  ],
  AUTHENTICATION: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
  ],
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

function TemplateForm({ before, onClose }: { before?: Template; onClose: () => void }) {
  const api = useApi()
  const [name, setName] = useState(before?.name ?? '')
  const [language, setLanguage] = useState(before?.language ?? 'en_US')
  const [category, setCategory] = useState<TemplateBody['category']>(before?.category ?? 'UTILITY')
  const [components, setComponents] = useState(pretty(before?.components ?? EXAMPLES.UTILITY))
  const save = useAction({
    run: () =>
      dataOf(
        api.PUT('/api/v1/outbound/templates/{name}/{language}', {
          params: { path: { name: name.trim(), language: language.trim() } },
          body: {
            category,
            components: JSON.parse(components) as TemplateBody['components'],
          },
        }),
      ),
    done: (template) => `Template ${template.name} registered.`,
    changes: CHANGED,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: onClose })
  }
  const choose = (value: TemplateBody['category']) => {
    const isExample = CATEGORIES.some((each) => pretty(EXAMPLES[each]) === components)
    if (isExample) setComponents(pretty(EXAMPLES[value]))
    setCategory(value)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <TextInput
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            pattern="[a-z0-9_]{1,512}"
            title="Small letters, digits and _"
            required
            disabled={before !== undefined}
            data-autofocus
          />
          <TextInput
            label="Language"
            value={language}
            onChange={({ currentTarget }) => setLanguage(currentTarget.value)}
            required
            disabled={before !== undefined}
          />
          <Select
            label="Category"
            data={CATEGORIES}
            value={category}
            onChange={(value) => value !== null && choose(value)}
            allowDeselect={false}
          />
        </SimpleGrid>
        <JsonInput
          label="Components"
          description="Header, body, footer and buttons, as WhatsApp’s Cloud API writes them."
          value={components}
          onChange={setComponents}
          validationError="This is not JSON."
          minRows={10}
          autosize
          maxRows={18}
          required
        />
        {save.isError && (
          <Alert color="red" role="alert">
            {save.error instanceof SyntaxError ? 'Components: not JSON.' : sentenceOf(save.error)}
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          The template must be approved by WhatsApp under the same name.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {before === undefined ? 'Register' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
