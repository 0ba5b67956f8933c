-- The next messages for the queue payments.review, in order: each a problem as RFC 9457 has it, with everything that is
-- known now of its case or dead letter, at most some 100 KB. One node at a time publishes; a node that stops loses its turn
-- after 30 seconds, and what it sent may be sent again with the same id.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + interval '30 seconds'
   where name = 'review' and (holder = :?node or held_until < now()) and exists (select from review_outbox)
  returning name),
next as materialized (
  select o.* from mine, review_outbox o order by o.message_no limit 50),
about_case as (
  select n.message_no, c.case_id, c.subject, f.category, coalesce(f.payment_id::text, c.subject) as job_id,
         coalesce(f.state, case when c.closed_at is null then 'OPEN' else 'CLOSED' end) as job_status,
         exists (select from decisions_allowed(c.case_id) a where a.kind = 'ALLOW_RESEND' and a.allowed) as retryable,
         left(c.reason, 1000) as reason, x.context
    from next n join review_case c on c.case_id = n.case_id cross join lateral review_facts(c.case_id) f
    cross join lateral review_context(c.case_id, 20, 600) as x (context)),
about_letter as (
  select n.message_no, d.*, coalesce(d.payment_id::text, d.source_reference, d.request_key, d.fact) as job_id
    from next n join dead_letter d on d.dead_letter_id = n.dead_letter_id)
select n.message_no, n.message_id::text as message_id, n.what, coalesce(c.category, 'DEAD_LETTER') as category,
       coalesce(c.job_id, d.job_id) as job_id, coalesce(c.job_status, 'DEAD_LETTER') as job_status,
       coalesce(c.case_id::text, '') as case_id,
       (jsonb_build_object('messageId', n.message_id, 'what', n.what, 'happenedAt', n.at,
          'jobId', coalesce(c.job_id, d.job_id), 'jobStatus', coalesce(c.job_status, 'DEAD_LETTER'),
          -- Whether the evidence lets people have it sent again. Nothing that is sent to us by this message does.
          'retryable', coalesce(c.retryable, false), 'correlationId', coalesce(c.job_id, d.job_id))
        || case when c.case_id is not null then jsonb_build_object(
             'type', '/problems/review-' || replace(lower(c.category), '_', '-'), 'title', review_category_why(c.category),
             'status', 409, 'detail', c.reason, 'instance', '/api/review/cases/' || c.case_id,
             'case', c.context || jsonb_build_object('decisions', (
               select coalesce(jsonb_agg(o.offered - 'supports' - 'speaksAgainst' order by o.ordinality), '[]')
                 from jsonb_array_elements(c.context -> 'decisions') with ordinality as o (offered, ordinality)
                where o.offered -> 'allowed' = 'true')))
           else jsonb_build_object(
             'type', '/problems/' || d.problem, 'title', 'A message could not be handled.', 'status', 422, 'detail', d.reason,
             'deadLetter', jsonb_build_object('deadLetterId', d.dead_letter_id, 'queue', d.queue, 'messageId', d.fact,
               'bodyDigest', d.body_digest, 'bodyLength', d.body_length, 'idempotencyKey', d.request_key,
               'sourceReference', d.source_reference, 'provider', d.provider, 'paymentId', d.payment_id,
               'receivedAt', d.received_at, 'keptIn', 'payments.dead-letters')) end)::text as message
  from next n left join about_case c using (message_no) left join about_letter d using (message_no)
 order by n.message_no
