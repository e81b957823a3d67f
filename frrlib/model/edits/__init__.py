"""What an editor does to a drawing: functions from a topology to a topology, which `Document.apply` takes."""
