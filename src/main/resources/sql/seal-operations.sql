-- Seals what the registration has written about the operations of a provider.
update provider set operations_digest = operations_digest(name) where name = :name
