-- Makes the limits of the loaded contract the ones that the database computes with: max amounts by currency as a JSON
-- object of major units. Stops stay until the doubt is looked at under the new limits.
with wanted as (
  select '*' as currency, cast(:maxCount as bigint) as max_count, null::numeric as max_amount_minor
   where cast(:maxCount as bigint) is not null
  union all
  select c.code, cast(:maxCount as bigint), a.value::numeric * 10::numeric ^ c.exponent
    from jsonb_each_text(cast(:maxAmounts as jsonb)) a join currency c on c.code = a.key),
gone as (
  delete from exposure_limit l where l.provider = :name and l.currency not in (select currency from wanted))
insert into exposure_limit (provider, currency, max_count, max_amount_minor, resume_percent)
select :name, currency, max_count, max_amount_minor, :resumePercent from wanted
on conflict (provider, currency) do update set
  max_count = excluded.max_count, max_amount_minor = excluded.max_amount_minor, resume_percent = excluded.resume_percent
