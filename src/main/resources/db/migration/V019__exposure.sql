-- How much money of a provider may be in doubt before claiming stops by itself, and every stop and go.

-- Limits for each provider and currency; currency '*' is for those that have no row of their own. Written at start from
-- the provider's YAML. Null is no limit.
create table exposure_limit (
  provider         text not null references provider (name),
  currency         text not null check (currency ~ '^([A-Z]{3}|[*])$'),
  max_count        bigint check (max_count > 0),
  max_amount_minor numeric check (max_amount_minor > 0),
  -- Claiming resumes when the doubt has fallen to this share of the limit.
  resume_percent   smallint not null default 80 check (resume_percent between 1 and 99),
  primary key (provider, currency),
  check (currency <> '*' or max_amount_minor is null),
  check (num_nonnulls(max_count, max_amount_minor) > 0)
);

-- The currencies of a provider that have stopped its claiming by themselves.
create table exposure_stop (
  provider   text not null references provider (name),
  currency   text not null references currency (code),
  stopped_at timestamptz not null default clock_timestamp(),
  primary key (provider, currency)
);

-- Every stop and go: by people (PAUSED, RESUMED, OVERRIDDEN), and by itself for one currency (STOPPED, RELEASED).
create table provider_stop_history (
  history_id    bigint generated always as identity primary key,
  provider      text not null references provider (name),
  action        text not null check (action in ('PAUSED', 'RESUMED', 'OVERRIDDEN', 'STOPPED', 'RELEASED')),
  currency      text references currency (code),
  actor         text not null check (length(actor) between 1 and 200),
  reason        text not null check (length(reason) <= 500),
  in_doubt      bigint,
  in_doubt_minor numeric,
  -- An operator's go in spite of the doubt: the limits are this much higher, until then.
  raise_percent smallint check (raise_percent between 1 and 1000),
  until_at      timestamptz,
  at            timestamptz not null default clock_timestamp(),
  check ((action = 'OVERRIDDEN') = (until_at is not null) and (until_at is null) = (raise_percent is null)),
  constraint stop_has_a_reason check (action not in ('PAUSED', 'OVERRIDDEN') or reason <> ''),
  check ((action in ('STOPPED', 'RELEASED')) = (currency is not null)),
  constraint override_ends_within_a_day check (until_at <= at + interval '24 hours 1 second')
);
create index provider_stop_override on provider_stop_history (provider, until_at) where until_at is not null;
create trigger append_only before update or delete or truncate on provider_stop_history for each statement execute function refuse_change();

-- Only what is in doubt is in this index: it is as small as the doubt, and the limits keep that small.
create index payment_in_doubt on payment (provider, currency) include (amount_minor) where position = 'IN_DOUBT';

-- The money of a provider that may or may not have moved: what the books call in doubt, and what a worker has not
-- answered for within its lease.
create function exposure(of_provider text) returns table (currency text, in_doubt bigint, in_doubt_minor numeric)
language sql stable as $$
  select d.currency, count(*), sum(d.amount_minor)
    from (select p.currency, p.amount_minor from payment p where p.provider = of_provider and p.position = 'IN_DOUBT'
          union all
          select p.currency, p.amount_minor from outbox o join payment p using (payment_id)
           where o.provider = of_provider and o.task = 'LEASE' and o.due_at < now() and p.state = 'SUBMITTING') d
   group by d.currency
$$;

-- Each currency of a provider that is in doubt or stopped, with its limits as they are now.
create function exposure_judged(of_provider text)
returns table (currency text, in_doubt bigint, in_doubt_minor numeric, max_count bigint, max_amount_minor numeric,
               stopped boolean, is_over boolean, is_low boolean) language sql stable as $$
  select coalesce(e.currency, s.currency), coalesce(e.in_doubt, 0), coalesce(e.in_doubt_minor, 0),
         trunc(l.max_count * f.factor)::bigint, trunc(l.max_amount_minor * f.factor), s.stopped_at is not null,
         coalesce(e.in_doubt >= trunc(l.max_count * f.factor), false)
           or coalesce(e.in_doubt_minor >= trunc(l.max_amount_minor * f.factor), false),
         -- An operator's go resumes at once, everything else only when the doubt has clearly fallen.
         f.factor > 1
           or coalesce(coalesce(e.in_doubt, 0) <= l.max_count * l.resume_percent / 100, true)
          and coalesce(coalesce(e.in_doubt_minor, 0) <= l.max_amount_minor * l.resume_percent / 100, true)
    from exposure(of_provider) e
    full join (select * from exposure_stop x where x.provider = of_provider) s on s.currency = e.currency
    cross join lateral (
      select 1 + coalesce(max(h.raise_percent), 0) / 100.0 as factor from provider_stop_history h
       where h.provider = of_provider and h.until_at > now()) f
    left join lateral (
      select * from exposure_limit x where x.provider = of_provider and x.currency in (coalesce(e.currency, s.currency), '*')
       order by x.currency = '*' limit 1) l on true
$$;

-- Whether nothing of this provider may be claimed now: one of its currencies is stopped, or at its limit, so that no claim
-- waits for somebody to notice. All currencies stop, for it is the provider whose answers are lost, and a claim that
-- passes over one currency would read all that waits in it. What is on the wire at that moment may still go into doubt:
-- at most all workers of all nodes.
create function exposure_stopped(of_provider text) returns boolean language plpgsql stable as $$
begin
  return exists (select from exposure_limit l where l.provider = of_provider)
     and (exists (select from exposure_stop s where s.provider = of_provider)
       or exists (select from exposure_judged(of_provider) where is_over));
end $$;

-- What the API shows of it.
create function exposure_document(of_provider text) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
           'currency', j.currency, 'inDoubt', j.in_doubt, 'inDoubtMinor', j.in_doubt_minor, 'maxCount', j.max_count,
           'maxAmountMinor', j.max_amount_minor, 'stopped', j.stopped or j.is_over) order by j.currency), '[]')
    from exposure_judged(of_provider) j
$$;
