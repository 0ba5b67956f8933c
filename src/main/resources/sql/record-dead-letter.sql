-- Keeps what identifies a message that could not be handled; once, however often it is delivered.
insert into dead_letter (fact, queue, problem, reason, body_digest, body_length, request_key, source_reference, provider, payment_id)
values (:?fact, :?queue, :?problem, :?reason, nullif(:?bodyDigest, ''), cast(:?bodyLength as integer), nullif(:?requestKey, ''),
        nullif(:?sourceReference, ''), nullif(:?provider, ''),
        (select payment_id from payment where payment_id = cast(nullif(:?paymentId, '') as uuid)))
on conflict (fact) do nothing
returning dead_letter_id
