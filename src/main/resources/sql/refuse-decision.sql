-- Refuses a decision, or takes back one's own. No row when there is no such decision.
update decision set refused_by = :?actor, refused_why = :?reason where decision_id = cast(:?decisionId as bigint)
returning case_id, decision_id
