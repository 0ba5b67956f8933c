-- Makes the next query of a payment due at once. Nothing else: what waits to be sent is not sent for it, and what is being
-- sent keeps its lease.
update payment set due_at = clock_timestamp()
 where payment_id = cast(:?paymentId as uuid) and state in ('UNKNOWN', 'PROCESSING', 'REVIEW') and due_at > clock_timestamp()
returning payment_id::text as payment_id, state
