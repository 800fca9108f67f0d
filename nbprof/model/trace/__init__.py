"""The Arrow tables of one trace: schemas, kinds of rows, and the model that holds them.

No nulls in model tables. A missing integer is -1, a missing float NaN, so that every column is a
NumPy view without a copy. Result tables, which people see, do use null.
"""
