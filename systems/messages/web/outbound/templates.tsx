import { Group, JsonInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import {
  ActButton,
  ActionForm,
  type BodyOf,
  type Column,
  column,
  countOf,
  DialogButton,
  Empty,
  FilteredTable,
  Json,
  KeyValue,
  Permitted,
  post,
  put,
  remove,
  PageFrame,
  sentenceOf,
  StateBadge,
  Time,
  useAction,
  useDraft,
  useListOf,
  useOpened,
} from '@posthorn/dashboard/kit'
import { useState } from 'react'
import { accountTitle, type Template, useAccounts, wantedPhrase } from './use-accounts.ts'

const CHANGED = ['outbound']

export function Templates() {
  const opened = useOpened()
  const list = useListOf('/api/v1/outbound/templates', ['outbound', 'templates', 'list'])
  return (
    <PageFrame
      lead="Messages of a registered template are checked before they are queued. Others are checked by WhatsApp when they are sent."
      actions={
        <>
          <ImportButton />
          <DialogButton
            to="administer"
            label="Register a template"
            title="Register a template"
            dialog={{ size: 'lg' }}
          >
            {(close) => <TemplateForm onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <FilteredTable
        label="Templates"
        list={list}
        columns={COLUMNS}
        idOf={idOf}
        empty={
          <Empty title="No templates yet">
            Import those of your WhatsApp account, or register one.
          </Empty>
        }
        drawer="Template"
        renderDetails={(_, shown) =>
          shown && <TemplateDetails template={shown} onGone={opened.close} />
        }
      />
    </PageFrame>
  )
}

function idOf({ name, language }: Template): string {
  return `${name}/${language}`
}

const COLUMNS: readonly Column<Template>[] = [
  column.text('name', 'Name', { width: 'minmax(140px, 1.4fr)' }),
  column.text('language', 'Language', { width: '90px' }),
  column.text('category', 'Category', { width: '140px', narrow: 'hidden' }),
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
  const accounts = useAccounts()
  const [chosen, choose] = useState<string | null>(null)
  const offered = (accounts.data?.items ?? []).filter(({ channel }) => channel === 'whatsapp')
  // The organisation's own account, before the default one of the server.
  const first = offered.find(({ isDefault }) => !isDefault) ?? offered[0]
  const account = offered.find(({ id }) => id === chosen) ?? first
  return (
    <ActButton
      to="administer"
      label="Import"
      title="Import the templates of WhatsApp?"
      run={() =>
        post('/api/v1/outbound/templates/import', {
          body: account && !account.isDefault ? { accountId: account.id } : {},
        })
      }
      done={({ imported, skipped }) =>
        `${countOf(imported, 'template')} imported${skipped.length === 0 ? '.' : `, ${skipped.length} not supported.`}`
      }
      changes={CHANGED}
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
    </ActButton>
  )
}

function TemplateDetails({ template, onGone }: { template: Template; onGone: () => void }) {
  const { name, language } = template
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
          <DialogButton
            to="administer"
            variant="default"
            label="Change"
            title={`Change ${name}`}
            dialog={{ size: 'lg' }}
          >
            {(close) => <TemplateForm before={template} onClose={close} />}
          </DialogButton>
          <ActButton
            to="administer"
            label="Remove"
            title={`Remove ${name} (${language})?`}
            verb="Remove template"
            tone="danger"
            run={() =>
              remove('/api/v1/outbound/templates/{name}/{language}', { path: { name, language } })
            }
            done={() => `Template ${name} is no longer registered.`}
            changes={CHANGED}
            onDone={onGone}
          >
            Messages of it are no longer checked here. It stays at WhatsApp.
          </ActButton>
        </Group>
      </Permitted>
      <Json value={template.components} label="components" />
    </Stack>
  )
}

type TemplateBody = BodyOf<'/api/v1/outbound/templates/{name}/{language}', 'put'>

const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const

/** An example for each category. */
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
  const isNew = before === undefined
  const { draft, set, text, value } = useDraft({
    name: before?.name ?? '',
    language: before?.language ?? 'en_US',
    category: before?.category ?? 'UTILITY',
    components: pretty(before?.components ?? EXAMPLES.UTILITY),
  })
  const save = useAction({
    run: () => {
      const path = { name: draft.name.trim(), language: draft.language.trim() }
      const components = JSON.parse(draft.components) as TemplateBody['components']
      const body = { category: draft.category, components }
      return put('/api/v1/outbound/templates/{name}/{language}', { path, body })
    },
    done: (template) => `Template ${template.name} registered.`,
    changes: CHANGED,
  })
  const choose = (category: TemplateBody['category']) => {
    const isExample = CATEGORIES.some((each) => pretty(EXAMPLES[each]) === draft.components)
    set({ category, ...(isExample && { components: pretty(EXAMPLES[category]) }) })
  }
  return (
    <ActionForm
      action={save}
      onClose={onClose}
      verb={isNew ? 'Register' : 'Save'}
      renderError={(error) =>
        error instanceof SyntaxError ? 'Components: not JSON.' : sentenceOf(error)
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label="Name"
          {...text('name')}
          pattern="[a-z0-9_]{1,512}"
          title="Small letters, digits and _"
          required
          disabled={!isNew}
          data-autofocus
        />
        <TextInput label="Language" {...text('language')} required disabled={!isNew} />
        <Select
          label="Category"
          data={CATEGORIES}
          value={draft.category}
          onChange={(category) => category !== null && choose(category)}
          allowDeselect={false}
        />
      </SimpleGrid>
      <JsonInput
        label="Components"
        description="Header, body, footer and buttons, as WhatsApp’s Cloud API writes them."
        {...value('components')}
        validationError="This is not JSON."
        minRows={10}
        autosize
        maxRows={18}
        required
      />
      <Text size="sm" c="dimmed">
        The template must be approved by WhatsApp under the same name.
      </Text>
    </ActionForm>
  )
}
