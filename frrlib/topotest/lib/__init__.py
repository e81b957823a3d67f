"""The package that the tests import as `lib`: the names of FRR's test library, made anew on labs."""
