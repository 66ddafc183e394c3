"""Bulk work: what is divided into jobs, that any number of processes or machines do and repeat."""
