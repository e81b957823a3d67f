"""An editor's operations on a drawing: functions from a topology to a topology, which `Document.apply` takes."""
