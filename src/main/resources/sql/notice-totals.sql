-- Compares the books with the payments, account by account and currency by currency, in one snapshot. It reads all of
-- both, so it is done by one node, rarely. A difference is never cleared by itself: somebody must know why it was there.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + cast(:?interval as integer) * interval '1 millisecond'
   where name = 'alert-totals' and (holder = :?node or held_until < now())
  returning name)
select raise_alert('LEDGER_OFF', d.account || '/' || d.currency, 'CRITICAL',
                   'the payments say ' || d.payments_minor || ', the books say ' || d.books_minor || ' minor units')
  from mine, control_total_difference d
