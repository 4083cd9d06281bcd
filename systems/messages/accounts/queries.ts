import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, count, first, some } from '@posthorn/system'
import type { AccountRow, NoticeRow, StopRow } from './account.ts'

/** Which account, and whose: another organisation's is not found. */
export interface AccountKey {
  readonly id: string
  readonly orgId: string
}

export const insertAccount = (
  tx: Transaction,
  account: Omit<AccountRow, 'created_at' | 'updated_at'>,
) =>
  first<AccountRow>(tx)(sql`
    insert into messages.account
           (id, org_id, name, business_account_id, phone_number_ids, access_token, app_secret,
            verify_token)
    values (${account.id}, ${account.org_id}, ${account.name}, ${account.business_account_id},
            ${account.phone_number_ids}::text[], ${account.access_token}, ${account.app_secret},
            ${account.verify_token})
    on conflict (org_id, name) do nothing
    returning *`)

/** Undefined where another account of the organisation has the name. */
export const updateAccount = (tx: Transaction, account: AccountRow) =>
  first<AccountRow>(tx)(sql`
    update messages.account as a
       set name = ${account.name},
           business_account_id = ${account.business_account_id},
           phone_number_ids = ${account.phone_number_ids}::text[],
           access_token = ${account.access_token},
           app_secret = ${account.app_secret},
           verify_token = ${account.verify_token},
           updated_at = now()
     where a.id = ${account.id}
       and not exists (select from messages.account as other
                        where other.org_id = a.org_id and other.name = ${account.name}
                          and other.id <> a.id)
    returning *`)

export async function deleteAccount(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`delete from messages.account where id = ${id}`)
}

export const lockAccount = (tx: Transaction, { id, orgId }: AccountKey) =>
  first<AccountRow>(tx)(sql`
    select * from messages.account where id = ${id} and org_id = ${orgId} for update`)

/** The account that sends a message: the one it names, else the organisation's oldest. */
export function chooseAccount(
  tx: Transaction,
  { id, orgId }: { id: string | undefined; orgId: string },
) {
  // Locked, so that it is not deleted before the message that is to go by it is there.
  return first<{ id: string }>(tx)(sql`
    select id from messages.account
     where org_id = ${orgId} and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
     order by id
     limit 1
       for share`)
}

/** The organisation's account that a number belongs to; undefined for the numbers of the settings. */
export async function findAccountOfNumber(
  db: Queryable,
  { orgId, numberId }: { orgId: string; numberId: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from messages.account
     where org_id = ${orgId} and ${numberId} = any(phone_number_ids)
     order by id
     limit 1`)
  return rows[0]?.id
}

export const findAccount = (db: Queryable, { id, orgId }: { id: string; orgId?: string }) =>
  first<AccountRow>(db)(sql`
    select * from messages.account
     where id = ${id} and (${orgId ?? null}::text is null or org_id = ${orgId ?? null})`)

export const findAccounts = (db: Queryable, ids: readonly string[]) =>
  all<AccountRow>(db)(sql`
    select * from messages.account where id = any(${ids}::uuid[])`)

export const listAccounts = (db: Queryable, orgId: string) =>
  all<AccountRow>(db)(sql`
    select * from messages.account where org_id = ${orgId} order by id`)

/** Whether messages of the account wait or are being sent. */
export const hasWaiting = (tx: Transaction, id: string) =>
  some(tx)(sql`
    select from messages.outbound_message
     where account_id = ${id} and status in ('QUEUED', 'SENDING')
     limit 1`)

export const findStops = (db: Queryable, accountIds: readonly string[]) =>
  all<StopRow>(db)(sql`
    select * from messages.sending_stop where account_id = any(${accountIds}::text[])`)

export interface NewStop {
  readonly accountId: string
  readonly numberId: string
  readonly orgId: string | null
  readonly code: string
  readonly reason: string
  readonly credentials: string
  /** The message that met it, if it was let through to see whether it is over. */
  readonly probeId: string | null
  /** Met by a report: that a message is taken does not end it, a report that it went does. */
  readonly byReport: boolean
}

/** Between two probes: 1, 2, 4 … 60 minutes. */
const NEXT_PROBE = sql`now() + least(power(2, least(probes, 10)), 60) * interval '1 minute'`

/** Stops an account, or notes that a probe has met the same again. Others change nothing. */
export async function upsertStop(tx: Transaction, stop: NewStop): Promise<void> {
  await tx.query(sql`
    insert into messages.sending_stop as s
           (account_id, number_id, org_id, code, reason, credentials, by_report, probe_at)
    values (${stop.accountId}, ${stop.numberId}, ${stop.orgId}, ${stop.code}, ${stop.reason},
            ${stop.credentials}, ${stop.byReport}, now() + interval '1 minute')
        on conflict (account_id, number_id)
        do update set code = excluded.code, reason = excluded.reason,
                      credentials = excluded.credentials, by_report = excluded.by_report,
                      probe_message_id = null
            where s.probe_message_id = ${stop.probeId}::uuid
               or s.credentials <> excluded.credentials`)
}

/** Ends an account's stops; of one number, where it is named. */
export const deleteStops = (
  tx: Transaction,
  { accountId, numberId }: { accountId: string; numberId?: string },
) =>
  all<StopRow>(tx)(sql`
    delete from messages.sending_stop
     where account_id = ${accountId}
       and (${numberId ?? null}::text is null or number_id = ${numberId ?? null})
    returning *`)

/** Stops that were met by a report, and whose probe is one of these messages. */
export const findProven = (tx: Transaction, messageIds: readonly string[]) =>
  all<StopRow>(tx)(sql`
    select * from messages.sending_stop
     where by_report and probe_message_id = any(${messageIds}::uuid[])
     order by account_id, number_id`)

/** Stops whose next probe is due; each for one process. */
export const lockDueStops = (tx: Transaction) =>
  all<StopRow>(tx)(sql`
    select * from messages.sending_stop
     where probe_at <= now()
     order by account_id, number_id
     limit 50
       for update skip locked`)

/** A message that waits for its account. */
export interface HeldMessage {
  readonly id: string
  readonly to: string
}

const HELD = (accountId: string, code: string) => sql`
       status = 'QUEUED' and coalesce(account_id::text, channel) = ${accountId}
       and error_code in ('ACCOUNT_STOPPED', ${code})`

export const listHeld = (tx: Transaction, stop: StopRow) =>
  all<HeldMessage>(tx)(sql`
    select id, to_recipient as to
      from messages.outbound_message
     where ${HELD(stop.account_id, stop.code)}
     order by next_retry_at, id
     limit 200`)

/** Lets one message through, and says when the next one is. */
export async function beginProbe(
  tx: Transaction,
  { stop, messageId }: { stop: StopRow; messageId: string },
): Promise<void> {
  await tx.query(sql`
    with probed as (
      update messages.sending_stop
         set probe_message_id = ${messageId}, probes = probes + 1, probe_at = ${NEXT_PROBE}
       where account_id = ${stop.account_id} and number_id = ${stop.number_id}
    )
    update messages.outbound_message set next_retry_at = posthorn.now()
     where id = ${messageId} and status = 'QUEUED'`)
}

/** Messages that waited for the account are due; returns how many. */
export const releaseHeld = (tx: Transaction, stop: StopRow) =>
  count(tx)(sql`
    update messages.outbound_message
       set next_retry_at = posthorn.now()
     where id in (select id
                    from messages.outbound_message
                   where ${HELD(stop.account_id, stop.code)}
                     for update skip locked)
    returning id`)

/** Something that WhatsApp said about an account. */
export interface NewNotice extends Omit<NoticeRow, 'account_id' | 'said_at'> {
  readonly id: string
  readonly accountId: string
  readonly orgId: string | null
  readonly digest: Buffer
  readonly saidAt: Date | null
}

/** Keeps a notice; false if it was known. */
export const insertNotice = (tx: Transaction, notice: NewNotice) =>
  some(tx)(sql`
    insert into messages.account_notice
           (id, account_id, org_id, field, subject, event, detail, digest, said_at)
    values (${notice.id}, ${notice.accountId}, ${notice.orgId}, ${notice.field}, ${notice.subject},
            ${notice.event}, ${notice.detail}, ${notice.digest},
            least(coalesce(${notice.saidAt}::timestamptz, now()), now()))
        on conflict (digest) do nothing
    returning 1`)

/** The last ten notices of each account, newest first. */
export const listNotices = (db: Queryable, accountIds: readonly string[]) =>
  all<NoticeRow>(db)(sql`
    select n.*
      from unnest(${accountIds}::text[]) as a (id)
     cross join lateral (
           select account_id, field, subject, event, detail, said_at
             from messages.account_notice
            where account_id = a.id
            order by said_at desc, id desc
            limit 10) as n`)

/** What WhatsApp says of a template, for those who send by the account: the last word stands. */
export async function setTemplateStatus(
  tx: Transaction,
  said: Pick<NewNotice, 'accountId' | 'orgId' | 'subject' | 'saidAt'> & {
    readonly name: string
    readonly language: string
    readonly status: string
  },
): Promise<void> {
  await tx.query(sql`
    update messages.template as t
       set status = ${said.status}, updated_at = now()
     where name = ${said.name} and language = ${said.language} and status <> ${said.status}
       and case when ${said.orgId}::text is null
                then not exists (select from messages.account as a where a.org_id = t.org_id)
                else org_id = ${said.orgId} end
       and not exists (
           select from messages.account_notice as n
            where n.account_id = ${said.accountId} and n.subject = ${said.subject}
              and n.field = 'message_template_status_update'
              and n.said_at > ${said.saidAt}::timestamptz)`)
}
