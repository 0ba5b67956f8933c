-- Notes what became of one new reading.
update reclassification_item i
   set applied_at = clock_timestamp(),
       outcome = coalesce(nullif(:?refusal, ''), 'the payment is ' || (select p.state from payment p where p.payment_id = i.payment_id))
 where i.reclassification_id = cast(:?${variable.item[reclassification_id]} as bigint)
   and i.evidence_id = cast(:?${variable.item[evidence_id]} as bigint) and i.applied_at is null
