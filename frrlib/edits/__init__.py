"""Operations on a topology: functions from a topology to a topology, such as generators and presets."""
