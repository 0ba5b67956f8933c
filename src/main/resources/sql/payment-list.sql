-- Payments, newest first, from after a cursor. Empty text means: any.
-- One row: the page as a JSON array, whether there is more, and the cursor of its last payment.
with page as (
  select p.*, c.exponent, row_number() over (order by accepted_at desc, payment_id desc) as n
    from payment p join currency c on c.code = p.currency
   where (accepted_at, payment_id) < (cast(:?beforeAt as timestamptz), cast(:?beforeId as uuid))
     and accepted_at >= cast(:?acceptedFrom as timestamptz) and accepted_at < cast(:?acceptedTo as timestamptz)
     and (:?caller = '' or caller = :?caller)
     and (:?state = '' or state = :?state)
     and (:?provider = '' or provider = :?provider)
     and (:?sourceReference = '' or source_reference = :?sourceReference)
     and (:?operation = '' or operation = :?operation)
     and (:?currency = '' or currency = :?currency)
   order by accepted_at desc, payment_id desc
   limit cast(:?limit as int) + 1),
shown as (
  select * from page where n <= cast(:?limit as int))
select coalesce(json_agg(json_build_object(
         'paymentId', payment_id, 'sourceReference', source_reference, 'operation', operation, 'provider', provider,
         'amountMinor', amount_minor, 'amount', round(amount_minor * (10::numeric ^ -exponent), exponent)::text, 'currency', currency,
         'state', state, 'category', category, 'reason', reason, 'acceptedAt', accepted_at, 'stateSince', state_since,
         'attemptCount', attempts, 'links', json_build_object('self', '/api/payments/' || payment_id))
         order by n), '[]')::text as items,
       (select count(*) from page) > count(*) as more,
       coalesce((select to_char(accepted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || payment_id
                   from shown order by n desc limit 1), '') as last
  from shown
