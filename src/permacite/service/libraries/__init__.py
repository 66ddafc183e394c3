"""Libraries of other programs: their documents, with what is stated and noted of them."""
