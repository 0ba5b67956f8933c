-- Marks one message of an alert as sent.
update alert
   set sent_at = case when :?happened = 'RAISED' then coalesce(sent_at, clock_timestamp()) else sent_at end,
       cleared_sent_at = case when :?happened = 'CLEARED' then coalesce(cleared_sent_at, clock_timestamp()) else cleared_sent_at end
 where alert_id = cast(:?alertId as bigint)
