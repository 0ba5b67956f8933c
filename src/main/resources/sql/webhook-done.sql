-- Writes down what became of each event of a batch, once; opens the cases and raises the alerts that follow. An event
-- that waits is tried again later, each time after twice as long, up to a minute.
with told as (
  select * from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
    webhook_id bigint, effect text, payment_id uuid, fact text, word text, reason text, decided_by text,
    opens_case boolean, alert text, alert_subject text, severity text)),
waiting as (
  update webhook_work w
     set due_at = clock_timestamp() + least(interval '60 seconds', interval '250 milliseconds' * power(2, least(w.tries, 10)))
    from told t where w.webhook_id = t.webhook_id and t.effect = 'WAIT'),
done as (
  insert into webhook_effect (webhook_id, effect, payment_id, fact, word, reason, decided_by)
  select t.webhook_id,
         case when t.effect = 'RECORDED' and (
                exists (select from webhook_effect f where f.payment_id = t.payment_id and f.fact = t.fact)
                or row_number() over (partition by t.payment_id, t.fact order by t.webhook_id) > 1)
              then 'KNOWN' else t.effect end,
         t.payment_id, t.fact, t.word, t.reason, t.decided_by
    from told t where t.effect <> 'WAIT'
  on conflict (webhook_id) do nothing
  returning webhook_id, effect),
asked as (
  insert into review_case (payment_id, subject, category, reason)
  select t.payment_id, 'webhook:' || t.webhook_id, 'DIFFERENCE', t.reason
    from told t join done d using (webhook_id) where t.opens_case
  on conflict (subject) where closed_at is null and subject <> 'payment' do nothing)
select d.webhook_id, d.effect, e.provider,
       case when t.alert is not null then raise_alert(t.alert, t.alert_subject, t.severity, t.reason)::text end as alerted
  from done d join told t using (webhook_id) join webhook_event e using (webhook_id)
