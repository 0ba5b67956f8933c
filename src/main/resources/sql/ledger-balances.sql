-- Balances by account, provider and currency. Debit is positive, credit negative. Empty text means: any.
select json_build_object(
  'balances', coalesce(json_agg(json_build_object('account', b.account, 'kind', a.kind, 'provider', b.provider,
      'currency', b.currency, 'balanceMinor', b.balance_minor,
      'balance', round(b.balance_minor * (10::numeric ^ -c.exponent), c.exponent)::text, 'entries', b.entries)
      order by b.account, b.provider, b.currency), '[]'),
  'asOf', now())::text as document
  from ledger_balance b join ledger_account a on a.code = b.account join currency c on c.code = b.currency
 where (:?account = '' or b.account = :?account) and (:?provider = '' or b.provider = :?provider)
   and (:?currency = '' or b.currency = :?currency)
