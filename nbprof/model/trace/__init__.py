"""The Arrow tables of one trace: schemas, kinds of rows, and what is derived from them."""
