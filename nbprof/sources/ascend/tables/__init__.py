"""Joins the data of the files of an Ascend directory into the tables of the model."""
