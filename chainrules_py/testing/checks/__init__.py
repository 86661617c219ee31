"""The checks, one promise each, in an order that makes the first failure the cause."""
