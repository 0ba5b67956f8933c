-- Decides and books all lines of a checked file, in one transaction; how many lines got which result.
select result, lines from settlement_book(:file)
