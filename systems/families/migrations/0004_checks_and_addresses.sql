-- concurrently
alter table families.family_member_invitations
  validate constraint family_member_invitations_status_check;
alter table families.family_member_invitations
  validate constraint family_member_invitations_declined_check;

-- The allowance of an address outlives its invitation: to revoke and invite again buys no mail.
create index concurrently if not exists family_member_invitations_address
  on families.family_member_invitations (family_id, lower(email), mailed_until);
