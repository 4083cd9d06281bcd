-- What messages and consents of before the new columns have in them.
update messages.outbound_message as m set attempt_no = a.attempt_no
  from (select outbound_message_id, max(attempt_no) as attempt_no
          from messages.outbound_attempt
         group by outbound_message_id) as a
 where a.outbound_message_id = m.id and m.attempt_no = 0
   and m.status in ('QUEUED', 'SENDING', 'SENT', 'FAILED');
-- The trigger knows the lane.
update messages.outbound_message set lane = null
 where lane is null and status in ('QUEUED', 'SENDING');
update messages.consent set said_at = updated_at where said_at > updated_at;
