-- The payment that a caller wants to refund; no row when the caller has none of this id.
-- Whether it can be refunded is for the schema to say, at the moment when the refund is written.
select payment_id::text as payment_id, source_reference, provider, account, currency,
       coalesce(instruction ->> 'recipient', '') as recipient
  from payment where payment_id = cast(:?paymentId as uuid) and caller = :?caller
