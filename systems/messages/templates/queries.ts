import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, one, some, storableJson } from '@posthorn/system'
import type { TemplateRow } from './template.ts'

export interface TemplateKey {
  readonly orgId: string
  readonly name: string
  readonly language: string
}

/** A template in each of its languages. */
export const findTemplates = (
  db: Queryable,
  { orgId, name }: Pick<TemplateKey, 'orgId' | 'name'>,
) =>
  all<TemplateRow>(db)(sql`
    select * from messages.template
     where org_id = ${orgId} and name = ${name}
     order by language`)

export const findTemplate = (db: Queryable, { orgId, name, language }: TemplateKey) =>
  first<TemplateRow>(db)(sql`
    select * from messages.template
     where org_id = ${orgId} and name = ${name} and language = ${language}`)

export function listTemplates(
  db: Queryable,
  page: { orgId: string; after: readonly [string, string] | undefined; limit: number },
) {
  const [name, language] = page.after ?? [null, null]
  return all<TemplateRow>(db)(sql`
    select * from messages.template
     where org_id = ${page.orgId}
       and (${name}::text is null or (name, language) > (${name}::text, ${language}::text))
     order by name, language
     limit ${page.limit}`)
}

export type NewTemplate = Pick<
  TemplateRow,
  'org_id' | 'name' | 'language' | 'category' | 'components' | 'status'
>

/** Registers a template, or changes it; `created` tells which. */
export const upsertTemplate = (tx: Transaction, template: NewTemplate) =>
  one<TemplateRow & { created: boolean }>(tx)(sql`
    insert into messages.template (org_id, name, language, category, components, status)
    values (${template.org_id}, ${template.name}, ${template.language}, ${template.category},
            ${storableJson(template.components)}::jsonb, ${template.status})
    on conflict (org_id, name, language)
    do update set category = excluded.category, components = excluded.components,
                  status = excluded.status, updated_at = now()
    returning *, xmax = 0 as created`)

export const deleteTemplate = (tx: Transaction, { orgId, name, language }: TemplateKey) =>
  some(tx)(sql`
    delete from messages.template
     where org_id = ${orgId} and name = ${name} and language = ${language}
    returning name`)
