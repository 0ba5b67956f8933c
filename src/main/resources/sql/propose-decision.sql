-- Proposes a decision; one that needs no second person takes effect. No row when there is no such case.
insert into decision (case_id, kind, details, reason, proposed_by)
select c.case_id, :?kind, cast(:?details as jsonb), :?reason, :?actor
  from review_case c where c.case_id = cast(:?caseId as bigint)
returning case_id, decision_id
