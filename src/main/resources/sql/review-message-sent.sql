-- Takes off what the broker has.
delete from review_outbox where message_no = cast(:?${variable.messageNo} as bigint)
