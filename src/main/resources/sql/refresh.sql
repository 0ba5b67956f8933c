-- Makes the next query of one payment due now, within the limits; null when there is no such payment.
select refresh_payment(cast(:?paymentId as uuid), :?actor, cast(:?paymentSeconds as integer),
                       cast(:?providerPerMinute as integer))::text as document
