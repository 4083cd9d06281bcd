import type { Pool } from 'pg'

export interface World {
  readonly org: string
  /** How long ago everything happened and ended. */
  readonly age: string
  /** False: nothing has ended. */
  readonly over: boolean
  /** Stands in every text that can name a person. */
  readonly email?: string
  readonly phone?: string
  /** The person's id with the merchant: of a payment, a bank's line, a case. */
  readonly externalId?: string
}

/** Ids of the things of a world on which a legal hold can be placed, by kind. */
export type Things = Readonly<Record<string, string>>

/**
 * Fills every table that retention or erasure knows with rows of one organisation. Triggers and
 * references do not look: the rows are as old as they say.
 */
export async function makeWorld(pool: Pool, world: World): Promise<Things> {
  const { org, age, over, email = 'x@y.test', phone = '+4400', externalId = 'none' } = world
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    const { rows } = await client.query<{ things: Things }>(
      'select public.make_world($1, posthorn.now() - $2::interval, $3, $4, $5, $6) as things',
      [org, age, over, email, phone, externalId],
    )
    await client.query('commit')
    return rows[0]?.things ?? {}
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** What `makeWorld` needs in the database, with the systems' blocks. */
export const worldSql = (blocks: readonly string[]) => `
create function public.uuid_of(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
          || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
$$;

create function public.make_world(org text, at timestamptz, over boolean, email text, phone text, external text)
  returns jsonb language plpgsql as $$
declare
  note text := 'Ada, ' || email || ' or ' || phone;
  person jsonb := jsonb_build_object('email', email, 'deep', jsonb_build_array(phone, replace(phone, '+', '')::bigint), 'name', 'Ada');
  message uuid := public.uuid_of(at);
  things jsonb := '{}';
begin
  insert into posthorn.operation (operation, subject, tenant, actor, reason, at) values ('replay', org, org, 'u', note, case when over then at else now() end);
  insert into posthorn.alert (source, subject, tenant, code, detail, raised_at, recovered_at) values ('test', org, org, 'X', note, at, case when over then at end);
  insert into posthorn.consumer_message (topic, group_name, state, message_id, tenant, headers, payload, error, due_at, created_at, died_at)
  values ('t', org, case when over then 'dead' else 'retry' end, message::text, org, '{}', person, note, at, at, case when over then at end);
  insert into posthorn.transition (outbox, message_id, to_state, error, actor, at, tenant) values ('test', message::text, 'SENT', note, 'RELAY', at, org);
  insert into posthorn.topic (name, partitions, created_at) values ('t-' || org, 1, at);
  insert into posthorn.topic_message (topic, partition, log_offset, id, type, version, tenant, occurred_at, headers, payload, appended_at)
  values ('t-' || org, 0, 0, message::text, 'x', 1, org, at, '{}', person, case when over then at else now() end);
  if not over then
    insert into posthorn.topic_group_partition (topic, group_name, partition, committed_offset) values ('t-' || org, 'g', 0, 0);
  end if;
  insert into incidents.incident (id, source, code, tenant, opened_at, closed_at, owner)
  values (public.uuid_of(at), 'test ' || org || random(), 'X', org, at, case when over then at end, email);
  insert into incidents.notice (id, channel_id, tenant, kind, payload, status, created_at)
  values (public.uuid_of(at), public.uuid_of(at), org, 'opened', person, case when over then 'delivered' else 'pending' end, at);
  ${blocks.join('\n')}
  return things;
end $$;`
