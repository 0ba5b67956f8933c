-- Accepts a payment: one row, from which outbox, history, event and PaymentRequested posting follow by the schema's
-- rules in the same commit. Says what became of the request:
--   CREATED, REPLAYED (same key, same content), OTHER_CONTENT (same key), OBLIGATION_OPEN (a payment for the same source
--   reference that is open, or that is FAILED and in the hands of people because it may have been paid), IN_PROGRESS (a concurrent request with this key or reference has not committed yet).
with open as (
  select p.payment_id from payment p
   where caller = :?caller and operation = :?operation and source_reference = :?sourceReference
     and (state not in ('SUCCEEDED', 'FAILED') or state = 'FAILED' and exists (
            select from review_case c where c.payment_id = p.payment_id and c.subject = 'payment' and c.closed_at is null))
   limit 1),
created as (
  insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,
                       amount_minor, currency, instruction, refund_of, actor)
  select cast(:?paymentId as uuid), :?caller, :?requestKey, :?fingerprint, :?sourceReference, :?operation, :?provider,
         :?account, cast(:?amountMinor as bigint), :?currency, cast(:?instruction as jsonb),
         cast(nullif(:?refundOf, '') as uuid), :?actor
   where not exists (select from open)
  on conflict do nothing
  returning payment_id, fingerprint, accepted_at),
known as (
  select payment_id, fingerprint, accepted_at from payment where caller = :?caller and request_key = :?requestKey)
select case when exists (select from created) then 'CREATED'
            when exists (select from known where fingerprint = :?fingerprint) then 'REPLAYED'
            when exists (select from known) then 'OTHER_CONTENT'
            when exists (select from open) then 'OBLIGATION_OPEN'
            else 'IN_PROGRESS' end as result,
       coalesce((select payment_id from created), (select payment_id from known), (select payment_id from open))::text as payment_id,
       to_char(coalesce((select accepted_at from created), (select accepted_at from known)) at time zone 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as accepted_at
