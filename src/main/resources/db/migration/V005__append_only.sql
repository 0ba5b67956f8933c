-- Histories that are only ever added to, and tables that only a migration or the rules of the schema write.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: it is append-only', tg_op, tg_table_name using errcode = 'PR001';
end $$;

create trigger append_only before update or delete or truncate on attempt for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on evidence for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on resend_permit for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on transition for each statement execute function refuse_change();
create trigger append_only before delete or truncate on provider_payment for each statement execute function refuse_change();
create trigger never_reassigned before update on provider_payment for each row when (old.* is distinct from new.*)
  execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_posting for each statement execute function refuse_change();
create trigger append_only before update or truncate on event_outbox for each statement execute function refuse_change();

-- What the rules are built on is written by migrations only: one more row would be one more way to pay.
create function refuse_write() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: only a migration changes it', tg_op, tg_table_name using errcode = 'PR001';
end $$;
create trigger fixed before insert or update or delete or truncate on legal_transition for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on ledger_position for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on ledger_account for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on currency for each statement execute function refuse_write();
create trigger fixed before truncate on provider_operation for each statement execute function refuse_write();
create trigger append_only before update or delete or truncate on contract_history for each statement execute function refuse_change();
create trigger append_only before delete or truncate on payment for each statement execute function refuse_change();
create trigger append_only before delete or truncate on review_case for each statement execute function refuse_change();

-- Histories that only the rules below may write.
create function written_by_rules_only() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception '% is written by the rules of the schema, not by a statement', tg_table_name using errcode = 'PR002';
  end if;
  return null;
end $$;
create trigger rules_only before insert on contract_history for each statement execute function written_by_rules_only();
create trigger rules_only before insert on transition for each statement execute function written_by_rules_only();
create trigger rules_only before insert or update or truncate on outbox for each statement execute function written_by_rules_only();

-- The outbox row of an open payment cannot be deleted, except by the rule that closes the payment; nor a message, except by
-- the node that published it.
create function outbox_row_stays() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'a row of % is deleted by the rules of the schema only: what it is about would be forgotten', tg_table_name
      using errcode = 'PR002';
  end if;
  return null;
end $$;
create trigger row_stays before delete on outbox for each statement execute function outbox_row_stays();
create trigger row_stays before delete on event_outbox for each statement execute function outbox_row_stays();
