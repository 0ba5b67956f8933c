-- Approves a decision as the second person, and with that does what it says. No row when there is no such decision.
update decision set approved_by = :?actor where decision_id = cast(:?decisionId as bigint)
returning case_id, decision_id
