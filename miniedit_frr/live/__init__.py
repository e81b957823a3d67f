"""The known state of a running lab, as values: neighbors, routes, flows, samples and loads."""
