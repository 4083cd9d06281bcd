-- Members leave, are removed, change their roles; invitations are declined; mails are limited.

-- Each invitation mail moves these on, from now or from where they are, whichever is later; a mail is
-- refused while they are too far ahead. See `mail-allowance.ts`.
alter table families.families
  add mailed_until timestamptz;
alter table families.family_member_invitations
  add mailed_until timestamptz,
  add declined_by text;

alter table families.family_member_invitations
  drop constraint family_member_invitations_status_check,
  add constraint family_member_invitations_status_check
    check (status in ('PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED', 'DECLINED')) not valid,
  add constraint family_member_invitations_declined_check
    check ((status = 'DECLINED') = (declined_by is not null)) not valid;

-- The partial unique index lets a family have one owner at most; this, one at least. It looks at the
-- commit, since ownership moves in two steps.
create function families.require_owner() returns trigger language plpgsql as $$
declare
  family uuid;
begin
  if tg_op = 'INSERT' then
    family := new.id;
  else
    family := old.family_id;
  end if;
  if exists (select 1 from families.families where id = family)
     and not exists (select 1 from families.family_members where family_id = family and role = 'OWNER')
  then
    raise exception 'family % has no owner', family
      using errcode = 'check_violation', schema = 'families', table = 'family_members',
            constraint = 'family_members_owned';
  end if;
  return null;
end
$$;
create constraint trigger family_members_owned
  after update or delete on families.family_members
  deferrable initially deferred for each row when (old.role = 'OWNER')
  execute function families.require_owner();
create constraint trigger families_owned
  after insert on families.families
  deferrable initially deferred for each row
  execute function families.require_owner();
