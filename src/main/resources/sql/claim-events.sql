-- The next transitions for payments.events, as CloudEvents 1.0, in order. One node at a time publishes; a node that
-- stops loses its turn after 30 seconds, and what it sent may be sent again with the same id.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + interval '30 seconds'
   where name = 'events' and (holder = :?node or held_until < now()) and exists (select from event_outbox)
  returning name)
select e.transition_id,
       t.payment_id || ':' || t.version as event_id,
       t.payment_id::text as payment_id,
       json_build_object(
         'specversion', '1.0', 'id', t.payment_id || ':' || t.version, 'source', '/payment-routes',
         'type', 'org.paymentroutes.payment.' || lower(t.to_state), 'subject', t.payment_id,
         'time', to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'datacontenttype', 'application/json',
         'data', json_build_object(
           'paymentId', t.payment_id, 'version', t.version, 'fromState', t.from_state, 'toState', t.to_state,
           'category', t.category, 'reason', t.reason, 'operation', p.operation, 'provider', p.provider,
           'sourceReference', p.source_reference, 'amountMinor', p.amount_minor, 'currency', p.currency,
           'attemptNo', t.attempt_no))::text as event
  from mine, event_outbox e join transition t using (transition_id) join payment p using (payment_id)
 order by e.transition_id
 limit 500
