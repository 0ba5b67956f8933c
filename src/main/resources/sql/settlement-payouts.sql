-- Claims payouts in transit for lines of statements that were booked before, and raises what is late; how many of each.
select arrived, late from payouts_look()
