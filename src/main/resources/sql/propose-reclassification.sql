insert into reclassification (provider, contract_digest, received_from, received_to, reason, answers, unreadable, differences, proposed_by)
select name, contract_digest, cast(:from as timestamptz), cast(:to as timestamptz), :reason, :answers, :unreadable, :differences, :actor
  from provider where name = :provider
returning reclassification_id
