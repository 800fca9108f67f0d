"""The Arrow tables of one trace: schemas, kinds of rows, and the model that holds them.

Model tables have no nulls. A missing integer is -1, a missing float NaN, so that every column is a
NumPy view without a copy. Result tables, which users see, use null.
"""
