"""Joins what the files of an Ascend directory tell into the tables of the model."""
