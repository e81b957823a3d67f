"""New exercises made from two topologies: their differences as checks, tried in labs and written as files."""
