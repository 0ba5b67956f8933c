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
  paused               boolean not null default false,
  paused_by            text,
  paused_reason        text,
  paused_at            timestamptz,
  contract_digest      text not null,
  registered_at        timestamptz not null default clock_timestamp(),
  check (not paused or (paused_by is not null and paused_reason is not null and paused_at is not null))
);
