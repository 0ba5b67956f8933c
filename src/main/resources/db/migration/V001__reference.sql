-- What payments refer to: currencies, providers, ledger accounts.

-- ISO 4217 active codes with their exponent (number of decimal digits of the minor unit), list of 2024-06-25.
create table currency (
  code     text primary key check (code ~ '^[A-Z]{3}$'),
  exponent smallint not null check (exponent between 0 and 4)
);

insert into currency (code, exponent)
select unnest(string_to_array(
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP '
  'CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR '
  'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN '
  'NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP '
  'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW ZWG', ' ')), 2
union all
select unnest(string_to_array('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF', ' ')), 0
union all
select unnest(string_to_array('BHD IQD JOD KWD LYD OMR TND', ' ')), 3
union all
select 'CLF', 4;

-- One row for each provider contract that the application has loaded; written at start from the provider's YAML.
-- All times in milliseconds: the database computes every due time from them, on its own clock.
create table provider (
  name                 text primary key check (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  account              text not null,
  can_query            boolean not null,
  -- By what it finds a payment. Only a query by our reference (can_query) finds one whose answer was lost.
  query_by             text not null default 'REFERENCE' check (query_by in ('REFERENCE', 'PROVIDER_ID', 'NONE')),
  can_refund           boolean not null default false,
  lease_ms             integer not null check (lease_ms > 0),
  quiet_ms             integer not null check (quiet_ms >= 0),
  query_delays_ms      integer[] not null check (cardinality(query_delays_ms) > 0),
  jitter               double precision not null default 0.2 check (jitter between 0 and 1),
  inconclusive_max     integer not null check (inconclusive_max > 0),
  time_limit_ms        bigint not null check (time_limit_ms > 0),
  send_time_limit_ms   bigint not null check (send_time_limit_ms > 0),
  backoff_base_ms      integer not null check (backoff_base_ms > 0),
  backoff_cap_ms       integer not null check (backoff_cap_ms >= backoff_base_ms),
  review_query_ms      integer not null check (review_query_ms > 0),
  retry_after_cap_ms   bigint not null check (retry_after_cap_ms > 0),
  -- Queries of all nodes together in a minute; null for no limit.
  query_rate_per_minute integer check (query_rate_per_minute > 0),
  -- How long after a payment the provider still knows it; null when it does not say.
  query_retention_ms   bigint check (query_retention_ms > 0),
  -- No query before: the budget of all nodes, and the pause that a provider which cannot be reached, or asks for it, gets.
  query_next_at        timestamptz not null default '-infinity',
  query_backoff_until  timestamptz not null default '-infinity',
  query_failures       integer not null default 0,
  paused               boolean not null default false,
  paused_by            text,
  paused_reason        text,
  paused_at            timestamptz,
  contract_digest      text not null,
  -- Seals what provider_operation says of this provider.
  operations_digest    text,
  registered_at        timestamptz not null default clock_timestamp(),
  check (not paused or (paused_by is not null and paused_reason is not null and paused_at is not null))
);

-- Whether a payment can be asked about: by our reference, or by the provider's own id once an answer has named it.
create function can_be_asked(contract provider, provider_payment_id text) returns boolean language sql immutable return
  (contract).can_query or (contract).query_by = 'PROVIDER_ID' and provider_payment_id is not null;

-- What automation may do to resolve an UNKNOWN of one operation at one provider; written at start from the provider's
-- YAML. A refund can be weaker than a charge at the same provider. What is not allowed here, no permit can prove.
create table provider_operation (
  provider                 text not null references provider (name),
  operation                text not null check (operation in ('CHARGE', 'PAYOUT', 'REFUND')),
  -- SAME_KEY: the same key gets the same answer, a 5xx under it is replayed and not executed again.
  same_key                 boolean not null default false,
  key_lifetime_ms          bigint check (key_lifetime_ms > 0),
  key_margin_ms            bigint check (key_margin_ms >= 0),
  -- NOT_FOUND_FINAL: so many not-founds by our reference, all later than visible_after_ms after the last possible
  -- arrival of a send (arrival_limit_ms after its start), prove that there is nothing.
  not_found_final          boolean not null default false,
  not_found_min            smallint check (not_found_min >= 2),
  visible_after_ms         bigint check (visible_after_ms >= 0),
  arrival_limit_ms         bigint check (arrival_limit_ms >= 0),
  -- RETRY_AFTER_REJECTION: these codes may be tried again under a new key, so many times.
  retry_codes              text[] not null default '{}',
  retry_max                smallint not null default 0 check (retry_max >= 0),
  retry_delay_ms           bigint not null default 0 check (retry_delay_ms >= 0),
  -- AT_LEAST_ONCE: up to this amount in each currency ({"EUR": 500}) a duplicate is accepted, in these words.
  at_least_once_up_to      jsonb not null default '{}' check (jsonb_typeof(at_least_once_up_to) = 'object'),
  at_least_once_acceptance text check (length(at_least_once_acceptance) >= 20),
  resend_max               smallint not null default 0 check (resend_max between 0 and 100),
  primary key (provider, operation),
  check (not same_key or key_lifetime_ms is not null and key_margin_ms is not null and key_margin_ms < key_lifetime_ms),
  check (not not_found_final or not_found_min is not null and visible_after_ms is not null and arrival_limit_ms is not null),
  check (at_least_once_up_to = '{}' or at_least_once_acceptance is not null),
  check ((retry_max > 0) = (cardinality(retry_codes) > 0))
);

create function operations_digest(of_provider text) returns text language sql stable return
  (select md5(string_agg(o::text, '|' order by o.operation)) from provider_operation o where o.provider = of_provider);

-- One more permission in that table is one more way to pay twice. The registration of a contract seals what it wrote; a
-- statement that changes it otherwise is refused at commit. Who writes the seal as well does so on purpose, and it is on record.
create function operations_are_sealed() returns trigger language plpgsql as $$
declare
  changed text := coalesce(new.provider, old.provider);
begin
  if (select p.operations_digest from provider p where p.name = changed) is distinct from operations_digest(changed) then
    raise exception 'what may be sent again at provider % is changed by the registration of its contract only', changed using errcode = 'PR024';
  end if;
  return null;
end $$;
create constraint trigger sealed after insert or update or delete on provider_operation deferrable initially deferred
  for each row execute function operations_are_sealed();

-- Every contract that the database has computed with, since when.
create table contract_history (
  entry_no      bigint generated always as identity primary key,
  provider      text not null references provider (name),
  contract      jsonb not null,
  operations    jsonb not null,
  registered_at timestamptz not null default clock_timestamp()
);
create index contract_history_by_provider on contract_history (provider, entry_no);
create function contract_on_record() returns trigger language plpgsql as $$
declare
  says       jsonb := to_jsonb(new) - array['query_next_at', 'query_backoff_until', 'query_failures', 'paused', 'paused_by', 'paused_reason',
                                            'paused_at', 'registered_at'];
  operations jsonb := (select coalesce(jsonb_agg(to_jsonb(o) - 'provider' order by o.operation), '[]') from provider_operation o where o.provider = new.name);
begin
  insert into contract_history (provider, contract, operations)
  select new.name, says, operations
   where (says, operations) is distinct from
         (select (h.contract, h.operations) from contract_history h where h.provider = new.name order by h.entry_no desc limit 1);
  return null;
end $$;
create trigger on_record after update of operations_digest on provider for each row execute function contract_on_record();

