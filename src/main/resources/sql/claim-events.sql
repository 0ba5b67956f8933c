-- The next transitions and reversals for payments.events, as CloudEvents 1.0, in order. One node at a time publishes; a
-- node that stops loses its turn after 30 seconds, and what it sent may be sent again with the same id.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + interval '30 seconds'
   where name = 'events' and (holder = :?node or held_until < now()) and exists (select from event_outbox)
  returning name),
next as (
  select e.event_no, t.payment_id, t.payment_id || ':' || t.version as event_id, lower(t.to_state) as type, t.at,
         json_build_object(
           'paymentId', t.payment_id, 'version', t.version, 'fromState', t.from_state, 'toState', t.to_state,
           'category', t.category, 'reason', t.reason, 'operation', p.operation, 'provider', p.provider,
           'sourceReference', p.source_reference, 'amountMinor', p.amount_minor, 'currency', p.currency,
           'attemptNo', t.attempt_no, 'refundOf', p.refund_of) as data
    from mine, event_outbox e join transition t using (transition_id) join payment p using (payment_id)
   order by e.event_no limit 500),
back as (
  select e.event_no, r.payment_id, r.payment_id || ':reversal:' || r.reversal_id as event_id, 'reversed' as type,
         r.recorded_at as at,
         json_build_object(
           'paymentId', r.payment_id, 'reversalId', r.reversal_id, 'kind', r.kind, 'amountMinor', r.amount_minor,
           'currency', r.currency, 'providerReversalId', r.provider_reversal_id, 'source', r.source, 'reason', r.reason,
           'operation', p.operation, 'provider', p.provider, 'sourceReference', p.source_reference,
           'refundOf', p.refund_of) as data
    from mine, event_outbox e join reversal r using (reversal_id) join payment p using (payment_id)
   order by e.event_no limit 500)
select event_no, event_id, payment_id::text as payment_id,
       json_build_object(
         'specversion', '1.0', 'id', event_id, 'source', '/payment-routes',
         'type', 'org.paymentroutes.payment.' || type, 'subject', payment_id,
         'time', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'datacontenttype', 'application/json',
         'data', data)::text as event
  from (select * from next union all select * from back) e
 order by event_no
 limit 500
