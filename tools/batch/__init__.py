"""The tables of mqclause batch: files in, files out."""
